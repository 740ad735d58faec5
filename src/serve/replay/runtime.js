// What a replayed page runs before its own scripts. It leads into the archive what scripts ask for, and stands in for
// what an origin of one's own forbids (cookies, storage), and for where the page is (`location`, `top`, `parent`, origins of
// messages). It makes pages work; it protects nobody: see the policy of the answers.
(() => {
  "use strict";
  const tag = document.currentScript;
  if (!tag) return;
  const { prefix, timestamp, token, url: captured } = tag.dataset;
  const server = new URL(tag.src).origin;
  tag.remove();

  // Addresses.
  const archived = new RegExp(`^(?:${server.replace(/[.[\]\/]/g, "\\$&")})?${prefix.replace(/[.\/]/g, "\\$&")}\\d{0,14}(?:[a-z]{2}_[0-9a-f]*)?/`);
  const original = (url) => {
    const text = String(url);
    return archived.test(text) ? text.replace(archived, "").replace(/^(https?):\/(?!\/)/, "$1://") : text;
  };
  const nativeBase = Object.getOwnPropertyDescriptor(Node.prototype, "baseURI").get;
  const nativePlace = location;
  const withoutHash = (url) => url.split("#")[0];
  // Where the page is: it begins where it was captured, and goes on by `history` and fragments.
  let now = withoutHash(captured) + nativePlace.hash;
  const origin = () => new URL(now).origin;
  const bases = document.getElementsByTagName("base");
  const isBased = () => [...bases].some((element) => element.hasAttribute("href"));
  const base = () => {
    const based = bases.length > 0 && isBased() ? original(nativeBase.call(document)) : "";
    return /^https?:/.test(based) ? based : now;
  };
  // Whether `history` has led the page to another folder, from which the browser does not resolve.
  const folder = (url) => new URL(".", url).href;
  const isElsewhere = () => now !== captured && folder(now) !== folder(captured) && !isBased();
  const place = (url, modifier) => `${server}${prefix}${timestamp}${modifier}${token}/${url}`;
  const lead = (value, modifier = "mp_") => {
    if (value === null || value === undefined) return value;
    const text = String(value);
    const bare = text.trim();
    if (/^javascript:/i.test(bare)) return script(text);
    if (bare === "" || bare[0] === "#" || archived.test(bare) || /^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(bare)) return text;
    // What is relative to its folder leads there by itself, with its query in the page's encoding.
    const elsewhere = isElsewhere();
    if (!elsewhere && !/^[a-z]+:|^[\/\\]|\.\.|%2e|[\t\n\r]/i.test(bare)) return text;
    let live;
    try {
      live = new URL(bare, base());
    } catch (_) {
      return text;
    }
    if (live.origin === server) {
      // Made from `location`, which tells the archive's own address.
      live = new URL(live.pathname + live.search + live.hash, new URL(base()).origin);
    }
    if (!/^https?:$/.test(live.protocol)) return text;
    if (!elsewhere && !/^[a-z]+:|^[\/\\]/i.test(bare)) {
      // Relative, and led there by itself unless it climbs too high.
      const native = new URL(bare, nativeBase.call(document)).href;
      if (archived.test(native) && original(native) === live.href) return text;
    }
    return place(live.href, modifier);
  };
  const leadSet = (value) =>
    String(value).replace(/(^|,\s|,(?=https?:|\/))(\s*)([^\s,][^\s]*)/g, (_, before, space, url) => {
      const commas = /,*$/.exec(url)[0];
      return before + space + lead(url.slice(0, url.length - commas.length), "im_") + commas;
    });
  const leadCss = (text) =>
    String(text)
      .replace(/url\(\s*(["']?)([^"')]+)\1\s*\)/gi, (_, quote, url) => `url(${quote}${lead(url, "im_")}${quote})`)
      .replace(/(@import\s+)(["'])([^"']+)\2/gi, (_, word, quote, url) => word + quote + lead(url, "cs_") + quote);
  const leadHtml = (text) =>
    String(text).replace(/<(?:script|img|link|iframe|frame|source|video|audio|embed|input|form|a|area|base|object|track)\b[^>]*>/gi, (tag) =>
      tag.replace(/(\s(src|href|action|poster|data)\s*=\s*)("[^"]*"|'[^']*'|[^\s"'>]+)/gi, (_, start, name, value) => {
        const quote = /^["']/.test(value) ? value[0] : "";
        const inner = quote ? value.slice(1, -1) : value;
        return start + quote + lead(inner.replace(/&amp;/g, "&"), modifierOf(/^<(\w+)/.exec(tag)[1], name)).replace(/&/g, "&amp;") + quote;
      }))
      .replace(/(<meta\b[^>]*\brefresh\b[^>]*\burl\s*=\s*['"]?)([^"'>\s]+)/gi, (_, start, url) => start + lead(url))
      .replace(/(\son[a-z]+\s*=\s*)("[^"]*"|'[^']*')/gi, (_, start, code) => start + code[0] + script(code.slice(1, -1)) + code[0])
      .replace(/(<script\b(?![^>]*\bsrc\s*=)[^>]*>)([\s\S]+?)(?=<\/script)/gi, (_, start, code) => start + script(code));
  const modifierOf = (element, name) => {
    switch (element.toLowerCase()) {
      case "script": return "js_";
      case "iframe": case "frame": return name === "src" ? "if_" : "mp_";
      case "img": case "source": case "video": case "audio": case "track": case "input": case "image": case "use": return "im_";
      default: return "mp_";
    }
  };

  // Scripts that pages make are given the names that the server gives those it sends, and by the server.
  const NativeRequests = window.XMLHttpRequest;
  const nativeOpen = NativeRequests.prototype.open;
  const scripts = new Map();
  const script = (code) => {
    const text = String(code);
    if (!/location|\btop\b|\beval\b|\bimport\b|\b(?:window|self|globalThis|document)\s*\[/.test(text) || /\b_webmill[._]/.test(text)) return code;
    const held = scripts.get(text);
    if (held !== undefined) return held;
    const request = new NativeRequests();
    const said = new URLSearchParams({ token, timestamp, url: base() });
    nativeOpen.call(request, "POST", `${server}${prefix}_replay/script?${said}`, false);
    let made = text;
    try {
      request.send(text);
      if (request.status === 200) made = request.responseText;
    } catch (_) {
      // It runs as it is.
    }
    if (scripts.size < 1000) scripts.set(text, made);
    return made;
  };
  const scriptIn = (element, text) => {
    const kind = nativeGet.call(element, "type");
    return !kind || /^\s*(?:module|[a-z]+\/(?:x-)?(?:java|ecma)script)/i.test(kind) ? script(text) : text;
  };
  const nativeText = Object.getOwnPropertyDescriptor(Node.prototype, "textContent");

  // Properties of elements.
  const addresses = new Set(["src", "href", "xlink:href", "action", "formaction", "poster", "data", "background", "cite", "longdesc"]);
  const aside = new Set(["integrity", "ping", "attributionsrc"]);
  const hints = /\b(?:dns-prefetch|preconnect|prefetch|prerender)\b/i;
  const nativeSet = Element.prototype.setAttribute;
  const nativeSetNs = Element.prototype.setAttributeNS;
  const nativeGet = Element.prototype.getAttribute;
  const nativeRemove = Element.prototype.removeAttribute;
  // What an attribute is to be; `null`: not to be set at all.
  const led = (element, name, value) => {
    const lower = String(name).toLowerCase();
    if (aside.has(lower)) return null;
    if (/^on[a-z]/.test(lower)) return typeof value === "string" ? script(value) : value;
    if (element instanceof HTMLLinkElement) {
      if (lower === "rel" && hints.test(value)) return null;
      if (lower === "href" && /stylesheet/i.test(element.rel)) return lead(value, "cs_");
    }
    if (lower === "srcdoc" && element instanceof HTMLIFrameElement) return document_(value);
    if (lower === "srcset" || lower === "imagesrcset") return leadSet(value);
    if (lower === "style") return leadCss(value);
    if (lower === "data" && !(element instanceof HTMLObjectElement)) return value;
    return addresses.has(lower) ? lead(value, modifierOf(element.localName, lower)) : value;
  };
  // A page in an attribute begins with this script as well.
  const document_ = (html) => {
    const text = String(html);
    if (text.includes("_replay/runtime.js")) return text;
    const attribute = (value) => String(value).replace(/&/g, "&amp;").replace(/"/g, "&quot;");
    return `<script src="${server}${prefix}_replay/runtime.js" data-prefix="${prefix}" data-timestamp="${timestamp}" ` +
      `data-token="${token}" data-url="${attribute(captured)}"></script>` + leadHtml(text);
  };
  const redefine = (object, name, change) => {
    const found = object && Object.getOwnPropertyDescriptor(object, name);
    if (found && found.configurable) Object.defineProperty(object, name, { ...found, ...change(found) });
  };
  const method = (object, name, make) => redefine(object, name, ({ value }) => ({ value: make(value) }));
  method(Element.prototype, "setAttribute", (native) => function setAttribute(name, value) {
    const now = led(this, name, value);
    return now === null ? undefined : native.call(this, name, now);
  });
  method(Element.prototype, "setAttributeNS", (native) => function setAttributeNS(space, name, value) {
    const now = led(this, /href$/.test(name) ? "href" : name, value);
    return now === null ? undefined : native.call(this, space, name, now);
  });
  method(Element.prototype, "getAttribute", (native) => function getAttribute(name) {
    const value = native.call(this, name);
    return value !== null && addresses.has(String(name).toLowerCase()) ? original(value) : value;
  });
  const reflect = (type, names) => {
    if (typeof type !== "function") return;
    for (const name of names.split(" ")) {
      redefine(type.prototype, name, ({ get, set }) => get && set && {
        get() {
          const value = get.call(this);
          return typeof value === "string" && name !== "srcset" ? original(value) : value;
        },
        set(value) {
          const now = led(this, name, value);
          if (now !== null) set.call(this, now);
        },
      });
    }
  };
  reflect(window.HTMLAnchorElement, "href ping");
  reflect(window.HTMLAreaElement, "href ping");
  reflect(window.HTMLLinkElement, "href rel integrity imageSrcset");
  reflect(window.HTMLScriptElement, "src integrity");
  reflect(window.HTMLImageElement, "src srcset");
  reflect(window.HTMLSourceElement, "src srcset");
  reflect(window.HTMLMediaElement, "src");
  reflect(window.HTMLVideoElement, "poster");
  reflect(window.HTMLTrackElement, "src");
  reflect(window.HTMLIFrameElement, "src srcdoc");
  reflect(window.HTMLFrameElement, "src");
  reflect(window.HTMLEmbedElement, "src");
  reflect(window.HTMLObjectElement, "data");
  reflect(window.HTMLFormElement, "action");
  reflect(window.HTMLInputElement, "src formAction");
  reflect(window.HTMLButtonElement, "formAction");
  reflect(window.HTMLBaseElement, "href");
  // The parts of an anchor's address are those of the original one.
  for (const type of [window.HTMLAnchorElement, window.HTMLAreaElement]) {
    for (const name of ["protocol", "host", "hostname", "port", "pathname", "search", "hash", "origin"]) {
      redefine(type && type.prototype, name, ({ get, set }) => ({
        get() {
          try {
            return new URL(this.href)[name];
          } catch (_) {
            return get.call(this);
          }
        },
        ...(set && {
          set(value) {
            try {
              const url = new URL(this.href);
              url[name] = value;
              this.href = url.href;
            } catch (_) {
              set.call(this, value);
            }
          },
        }),
      }));
    }
  }
  method(DOMTokenList.prototype, "add", (native) => function add(...words) {
    return native.apply(this, words.filter((word) => !hints.test(word)));
  });

  // Scripts that scripts write, before they are run.
  const ready = (node) => {
    if (!node || typeof node !== "object" || !(node instanceof Node)) return;
    const all = node instanceof HTMLScriptElement ? [node] : node.querySelectorAll ? node.querySelectorAll("script") : [];
    for (const element of all) {
      const text = nativeText.get.call(element);
      const made = scriptIn(element, text);
      if (made !== text) nativeText.set.call(element, made);
    }
  };
  for (const [object, names] of [
    [Node.prototype, ["appendChild", "insertBefore", "replaceChild"]],
    [Element.prototype, ["append", "prepend", "before", "after", "replaceWith", "replaceChildren"]],
  ]) {
    for (const name of names) {
      method(object, name, (native) => function (...nodes) {
        for (const node of nodes) {
          if (this instanceof HTMLScriptElement && node instanceof Text) node.data = scriptIn(this, node.data);
          else ready(node);
        }
        return native.apply(this, nodes);
      });
    }
  }
  for (const [object, name] of [[HTMLScriptElement, "text"], [Node, "textContent"], [HTMLElement, "innerText"], [Element, "innerHTML"]]) {
    redefine(object.prototype, name, ({ set }) => ({
      set(value) {
        set.call(this, this instanceof HTMLScriptElement ? scriptIn(this, value) : value);
      },
    }));
  }
  for (const name of ["setTimeout", "setInterval"]) {
    method(window, name, (native) => function (run, ...rest) {
      return native.call(window, typeof run === "string" ? script(run) : run, ...rest);
    });
  }
  const made = (values) => values.length === 0 ? values : [...values.slice(0, -1), script(values[values.length - 1])];
  const NativeFunction = window.Function;
  window.Function = new Proxy(NativeFunction, {
    apply: (target, self, values) => Reflect.apply(target, self, made(values)),
    construct: (target, values, self) => Reflect.construct(target, made(values), self === window.Function ? target : self),
  });
  NativeFunction.prototype.constructor = window.Function;

  // Markup and styles that scripts write.
  const mend = (element) => {
    if (element.nodeType !== Node.ELEMENT_NODE) return;
    for (const { name, value } of [...element.attributes]) {
      const now = led(element, name, value);
      if (now === null) nativeRemove.call(element, name);
      else if (now !== value) nativeSet.call(element, name, now);
    }
    if (element instanceof HTMLStyleElement) {
      const now = leadCss(element.textContent);
      if (now !== element.textContent) element.textContent = now;
    }
  };
  const mendAll = (node) => {
    mend(node);
    if (node.querySelectorAll) node.querySelectorAll("*").forEach(mend);
  };
  const setter = (object, name, after) => redefine(object, name, ({ set }) => set && {
    set(value) {
      const parent = this.parentNode;
      set.call(this, value);
      after(this, parent);
    },
  });
  for (const root of [Element.prototype, window.ShadowRoot && ShadowRoot.prototype]) {
    setter(root, "innerHTML", (element) => mendAll(element.content || element));
  }
  setter(Element.prototype, "outerHTML", (_, parent) => parent && mendAll(parent));
  method(Element.prototype, "insertAdjacentHTML", (native) => function insertAdjacentHTML(where, html) {
    native.call(this, where, html);
    mendAll(/^(?:before|after)(?=begin|end)$/i.test(where) ? this : this.parentNode || this);
    mendAll(this);
  });
  method(Range.prototype, "createContextualFragment", (native) => function createContextualFragment(html) {
    const fragment = native.call(this, html);
    mendAll(fragment);
    ready(fragment);
    return fragment;
  });
  for (const name of ["write", "writeln"]) {
    method(Document.prototype, name, (native) => function write(...parts) {
      return native.apply(this, parts.map(leadHtml));
    });
  }
  new MutationObserver((records) => {
    for (const { type, addedNodes, target } of records) {
      addedNodes.forEach(mendAll);
      if (type === "attributes" || target instanceof HTMLStyleElement) mend(target);
    }
    // Styles are set by properties of many names; their text is in the attribute.
  }).observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ["style", "rel", "srcdoc"] });
  method(CSSStyleDeclaration.prototype, "setProperty", (native) => function setProperty(name, value, ...rest) {
    return native.call(this, name, leadCss(value), ...rest);
  });
  for (const name of ["insertRule", "replace", "replaceSync"]) {
    method(CSSStyleSheet.prototype, name, (native) => function (text, ...rest) {
      return native.call(this, leadCss(text), ...rest);
    });
  }
  if (window.FontFace) {
    window.FontFace = new Proxy(FontFace, {
      construct: (target, [name, source, ...rest], self) =>
        Reflect.construct(target, [name, typeof source === "string" ? leadCss(source) : source, ...rest], self),
    });
  }

  // Requests.
  const plain = (init) => {
    if (!init || typeof init !== "object") return init;
    const { integrity, credentials, referrer, ...rest } = init;
    if (rest.mode === "same-origin") rest.mode = "cors";
    return rest;
  };
  const NativeRequest = window.Request;
  window.Request = new Proxy(NativeRequest, {
    construct: (target, [input, init], self) =>
      Reflect.construct(target, [input instanceof NativeRequest ? input : lead(input), plain(init)], self),
  });
  const nativeFetch = window.fetch;
  window.fetch = function fetch(input, init) {
    return nativeFetch.call(window, input instanceof NativeRequest ? input : lead(input), plain(init));
  };
  redefine(Response.prototype, "url", ({ get }) => ({ get() { return original(get.call(this)); } }));
  redefine(NativeRequest.prototype, "url", ({ get }) => ({ get() { return original(get.call(this)); } }));
  method(XMLHttpRequest.prototype, "open", (native) => function open(verb, url, ...rest) {
    return native.call(this, verb, lead(url), ...rest);
  });
  redefine(XMLHttpRequest.prototype, "withCredentials", ({ get }) => ({ get, set() {} }));
  redefine(XMLHttpRequest.prototype, "responseURL", ({ get }) => ({ get() { return original(get.call(this)); } }));
  Navigator.prototype.sendBeacon = () => true;

  // Connections that an archive cannot answer: they fail as those of a server that is gone.
  const gone = (states) => class extends EventTarget {
    constructor(url) {
      super();
      Object.assign(this, { url: String(url), readyState: 0, bufferedAmount: 0, protocol: "", extensions: "", binaryType: "blob" });
      setTimeout(() => {
        this.readyState = states.CLOSED;
        for (const kind of ["error", "close"]) {
          const event = kind === "close" && window.CloseEvent ? new CloseEvent("close", { code: 1006 }) : new Event(kind);
          if (kind === "close" && states.CLOSED !== 3) continue;
          if (typeof this[`on${kind}`] === "function") this[`on${kind}`](event);
          this.dispatchEvent(event);
        }
      });
    }
    send() {}
    close() {}
  };
  const constants = (type, states) => {
    Object.assign(type, states);
    Object.assign(type.prototype, states);
    return type;
  };
  const socket = { CONNECTING: 0, OPEN: 1, CLOSING: 2, CLOSED: 3 };
  const source = { CONNECTING: 0, OPEN: 1, CLOSED: 2 };
  window.WebSocket = constants(gone(socket), socket);
  window.EventSource = constants(gone(source), source);
  for (const name of ["RTCPeerConnection", "webkitRTCPeerConnection", "WebTransport", "SharedWorker"]) {
    if (name in window) Object.defineProperty(window, name, { value: undefined, configurable: true, writable: true });
  }

  // A worker must come from the page's own origin, which has no addresses: its text is fetched, and runs behind a few lines.
  if (window.Worker) {
    const NativeWorker = window.Worker;
    window.Worker = new Proxy(NativeWorker, {
      construct(target, [url, options], self) {
        const address = lead(url, "js_");
        if (/^(?:blob|data):/.test(address)) return Reflect.construct(target, [address, options], self);
        const absolute = new URL(address, nativeBase.call(document)).href;
        const request = new XMLHttpRequest();
        request.open("GET", absolute, false);
        request.send();
        const head = `(() => { const lead = (url) => { const text = new URL(url, ${JSON.stringify(original(absolute))}).href;` +
          ` return ${JSON.stringify(`${server}${prefix}${timestamp}js_${token}/`)} + text; };` +
          ` const run = self.importScripts; self.importScripts = (...urls) => run.apply(self, urls.map(lead));` +
          ` const at = new URL(${JSON.stringify(original(absolute))}); Object.defineProperty(self, "location", { value: at });` +
          ` for (const [name, word] of [["_webmill_location", "location"], ["_webmill_top", "top"]]) {` +
          ` const get = function () { return this === self ? self[word] : this[word]; }, set = function (value) { this[word] = value; };` +
          ` Object.defineProperty(Object.prototype, name, { get, set }); Object.defineProperty(self, name, { get, set }); }` +
          ` self._webmill = { key: (name) => name, script: (text) => text, address: lead, original: (url) => url };` +
          ` const get = self.fetch; self.fetch = (url, init) => get(typeof url === "string" ? lead(url) : url, init);` +
          ` const open = XMLHttpRequest.prototype.open; XMLHttpRequest.prototype.open = function (verb, url, ...rest) {` +
          ` return open.call(this, verb, lead(url), ...rest); }; })();\n`;
        const text = request.status < 400 ? request.responseText : "throw new Error('not in this archive')";
        const blob = URL.createObjectURL(new Blob([head, text], { type: "text/javascript" }));
        return Reflect.construct(target, [blob, options], self);
      },
    });
  }

  // What belongs to an origin.
  const getter = (object, name, get, set) =>
    Object.defineProperty(object, name, { get, set, configurable: true, enumerable: true });
  const storage = () => {
    const held = new Map();
    const methods = {
      getItem: (key) => held.get(String(key)) ?? null,
      setItem: (key, value) => void held.set(String(key), String(value)),
      removeItem: (key) => void held.delete(String(key)),
      clear: () => held.clear(),
      key: (at) => [...held.keys()][at] ?? null,
    };
    return new Proxy(Object.create(Storage.prototype), {
      get: (_, name) => name === "length" ? held.size : methods[name] ?? held.get(String(name)),
      set: (_, name, value) => (held.set(String(name), String(value)), true),
      has: (_, name) => name in methods || held.has(String(name)),
      deleteProperty: (_, name) => (held.delete(String(name)), true),
      ownKeys: () => [...held.keys()],
      getOwnPropertyDescriptor: (_, name) =>
        held.has(name) ? { value: held.get(name), writable: true, enumerable: true, configurable: true } : undefined,
    });
  };
  const [local, session] = [storage(), storage()];
  getter(window, "localStorage", () => local);
  getter(window, "sessionStorage", () => session);
  const jar = new Map();
  getter(Document.prototype, "cookie", () => [...jar].map(([name, value]) => name ? `${name}=${value}` : value).join("; "), (text) => {
    const [pair, ...attributes] = String(text).split(";");
    const at = pair.indexOf("=");
    const name = at < 0 ? "" : pair.slice(0, at).trim();
    const over = attributes.some((attribute) => {
      const [key, value = ""] = attribute.split("=").map((part) => part.trim());
      return /^max-age$/i.test(key) ? Number(value) <= 0 : /^expires$/i.test(key) && Date.parse(value) <= Date.now();
    });
    if (over) jar.delete(name);
    else if (jar.size < 300) jar.set(name, pair.slice(at + 1).trim());
  });
  getter(Document.prototype, "domain", () => new URL(now).hostname, () => {});
  for (const name of ["URL", "documentURI"]) getter(Document.prototype, name, () => now);
  redefine(Node.prototype, "baseURI", () => ({ get: base }));
  const refused = () => Promise.reject(new DOMException("not in an archive", "NotSupportedError"));
  const workers = Object.assign(new EventTarget(), {
    controller: null,
    ready: new Promise(() => {}),
    register: refused,
    getRegistration: () => Promise.resolve(undefined),
    getRegistrations: () => Promise.resolve([]),
    startMessages() {},
  });
  if ("serviceWorker" in Navigator.prototype) getter(Navigator.prototype, "serviceWorker", () => workers);

  // Where the page came from: browsers tell no referrer to pages without an origin, so the page that is left says it in the name
  // of the window.
  const nativeName = Object.getOwnPropertyDescriptor(window, "name");
  const mark = "webmill:";
  let referrer = "";
  if (nativeName && nativeName.get.call(window).startsWith(mark)) {
    try {
      const said = JSON.parse(nativeName.get.call(window).slice(mark.length));
      nativeName.set.call(window, String(said.name));
      const from = new URL(said.referrer);
      if (/^https?:$/.test(from.protocol)) referrer = from.origin === origin() ? from.href : `${from.origin}/`;
    } catch (_) {
      nativeName.set.call(window, "");
    }
  }
  let ownName = nativeName ? nativeName.get.call(window) : "";
  const leave = () => {
    if (!nativeName) return;
    nativeName.set.call(window, mark + JSON.stringify({ name: ownName, referrer: withoutHash(now) }));
    // Whoever stays after all has the name of before.
    setTimeout(() => nativeName.set.call(window, ownName), 3000);
  };
  getter(window, "name", () => ownName, (name) => {
    ownName = String(name);
    nativeName.set.call(window, ownName);
  });
  getter(Document.prototype, "referrer", () => referrer);

  // Other windows. That of the banner is no part of the page: the outermost page is its own parent.
  // Browsers that do not tell who is around show pages in the banner's window as well: the server sees to it.
  const around = nativePlace.ancestorOrigins;
  const banner = !around || (around.length > 0 && around[around.length - 1] === server) ? window.top : null;
  const nativeParent = window.parent;
  const isOutermost = nativeParent === banner || nativeParent === window;
  const contentOf = new Map();
  const stands = new WeakMap();
  const origins = (to) => {
    const text = to === undefined || to === null ? "/" : String(to);
    return text === "*" ? "*" : text === "/" ? origin() : new URL(text).origin;
  };
  const post = (send, data, to, transfer) => {
    const options = to !== null && typeof to === "object" ? to : { targetOrigin: to, transfer };
    const said = { webmill: "message", data, from: origin(), to: origins(options.targetOrigin) };
    return options.transfer ? send(said, "*", options.transfer) : send(said, "*");
  };
  // What a page sees of another page's window: messages go there, and it can be led elsewhere.
  const stand = (real) => {
    if (!real || real === window) return real;
    const known = stands.get(real);
    if (known) return known;
    const lead_ = (url) => {
      const to = new URL(String(url), base()).href;
      const inner = [...document.querySelectorAll("iframe,frame")].some((frame) => contentOf.get(frame.localName).call(frame) === real);
      if (inner) real.location.replace(place(to, "if_"));
      else go(place(to, "mp_"), real === nativeParent ? "_parent" : "_top");
    };
    const where = { assign: lead_, replace: lead_, toString: () => "", get href() { return real.location.href; }, set href(url) { lead_(url); } };
    const parentOf = () => real.parent === banner || real.parent === real ? self_ : stand(real.parent);
    const own_ = {
      postMessage: (...said) => post((...all) => real.postMessage(...all), ...said),
      get location() { return where; },
      get _webmill_location() { return where; },
      get parent() { return parentOf(); },
      get top() { return outermost(); },
      get _webmill_top() { return outermost(); },
      get window() { return self_; },
      get self() { return self_; },
      get frames() { return self_; },
      get closed() { return real.closed; },
      get length() { return real.length; },
      get opener() { return null; },
      focus() {}, blur() {}, close() {},
      then: undefined,
    };
    const self_ = new Proxy(own_, {
      get: (target, name) => name in target || typeof name === "symbol" ? target[name] : /^\d+$/.test(name) ? stand(real[name]) : real[name],
      set(_, name, url) {
        if (/^(?:_webmill_)?location$/.test(name)) lead_(url);
        else real[name] = url;
        return true;
      },
    });
    stands.set(real, self_);
    return self_;
  };
  const outermost = () => {
    let found = window;
    while (found.parent !== banner && found.parent !== found) found = found === window ? nativeParent : found.parent;
    return stand(found);
  };
  const fakeParent = isOutermost ? window : stand(nativeParent);
  const fakeTop = isOutermost ? window : outermost();
  const replaceable = (name, get) => getter(window, name, get, (value) =>
    Object.defineProperty(window, name, { value, writable: true, configurable: true, enumerable: true }));
  replaceable("parent", () => fakeParent);
  replaceable("origin", origin);
  for (const type of [window.HTMLIFrameElement, window.HTMLFrameElement, window.HTMLObjectElement]) {
    redefine(type && type.prototype, "contentWindow", ({ get }) => {
      contentOf.set({ HTMLIFrameElement: "iframe", HTMLFrameElement: "frame" }[type.name] || "object", get);
      return { get() { return stand(get.call(this)); } };
    });
  }
  const nativePost = window.postMessage;
  window.postMessage = (...said) => post((...all) => nativePost.apply(window, all), ...said);
  const nativeData = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "data").get;
  const nativeSource = Object.getOwnPropertyDescriptor(MessageEvent.prototype, "source").get;
  const wrapped = (event) => {
    const data = nativeData.call(event);
    return data && typeof data === "object" && data.webmill === "message" ? data : null;
  };
  redefine(MessageEvent.prototype, "data", ({ get }) => ({ get() { const said = wrapped(this); return said ? said.data : get.call(this); } }));
  redefine(MessageEvent.prototype, "origin", ({ get }) => ({ get() { const said = wrapped(this); return said ? said.from : get.call(this); } }));
  redefine(MessageEvent.prototype, "source", ({ get }) => ({ get() { return stand(get.call(this)); } }));

  // Where the page goes.
  const nativeHistory = Object.getOwnPropertyDescriptor(History.prototype, "state").get;
  const { replaceState } = History.prototype;
  const isOurs = (state) => state !== null && typeof state === "object" && typeof state.webmill === "string";
  const theirs = (state) => isOurs(state) ? state.state : state;
  // Without an origin the address stays: the entry of the history holds it beside the page's own state.
  const keep = () => replaceState.call(history, { webmill: now, state: theirs(nativeHistory.call(history)) }, "");
  const tell = () => {
    if (nativeParent === window) return;
    nativeParent.postMessage({ webmill: "page", url: now, timestamp, title: document.title }, "*");
  };
  const held = nativeHistory.call(history);
  if (isOurs(held) && new URL(held.webmill).origin === origin()) now = held.webmill;
  else keep();
  redefine(History.prototype, "state", ({ get }) => ({ get() { return theirs(get.call(this)); } }));
  redefine(PopStateEvent.prototype, "state", ({ get }) => ({ get() { return theirs(get.call(this)); } }));
  for (const name of ["pushState", "replaceState"]) {
    method(History.prototype, name, (native) => function (state, title, url) {
      if (url !== undefined && url !== null) {
        const to = new URL(original(url), base());
        if (to.origin !== origin()) throw new DOMException(`A state of ${to.href} cannot be made on ${now}`, "SecurityError");
        now = to.href;
      }
      native.call(this, { webmill: now, state }, title);
      tell();
    });
  }
  const moved = () => {
    const state = nativeHistory.call(history);
    if (isOurs(state)) now = state.webmill;
    else {
      now = withoutHash(now) + nativePlace.hash;
      keep();
    }
    tell();
  };
  addEventListener("popstate", moved);
  addEventListener("hashchange", moved);
  for (const name of ["oldURL", "newURL"]) redefine(HashChangeEvent.prototype, name, ({ get }) => ({ get() { return original(get.call(this)); } }));
  // Browsers run no such address where a page has no origin.
  const isCode = (url) => /^\s*javascript:/i.test(url);
  const run = (url) => void setTimeout(() => {
    const code = url.replace(/^\s*javascript:/i, "");
    let text = code;
    try {
      text = decodeURIComponent(code);
    } catch (_) {
      // A percent sign of the script's own.
    }
    const result = (0, eval)(script(text));
    if (typeof result === "string") document.documentElement.innerHTML = result;
  });
  const navigate = (value, replace = false) => {
    const text = String(value);
    if (isCode(text)) return run(text);
    let to;
    try {
      to = new URL(original(text.trim()), base());
    } catch (_) {
      throw new DOMException(`${text} is no URL`, "SyntaxError");
    }
    if (to.hash && withoutHash(to.href) === withoutHash(now)) return fragment(to.hash);
    leave();
    const address = /^https?:$/.test(to.protocol) ? place(to.href, "mp_") : to.href;
    if (replace) nativePlace.replace(address);
    else nativePlace.assign(address);
  };
  const fragment = (hash) => {
    nativePlace.hash = hash;
    now = withoutHash(now) + nativePlace.hash;
    keep();
  };
  // The page's own `location`.
  const here = Object.create(Location.prototype);
  for (const name of ["href", "protocol", "host", "hostname", "port", "pathname", "search", "hash", "origin"]) {
    Object.defineProperty(here, name, {
      enumerable: true,
      get: () => new URL(now)[name],
      set: name === "origin" ? undefined : (value) => {
        if (name === "href") return navigate(value);
        if (name === "hash") return fragment(value);
        const to = new URL(now);
        to[name] = value;
        navigate(to.href);
      },
    });
  }
  const called = {
    assign: (url) => navigate(url),
    replace: (url) => navigate(url, true),
    reload: () => nativePlace.reload(),
    toString: () => now,
    valueOf: () => here,
    ancestorOrigins: { length: 0, item: () => null, contains: () => false },
  };
  for (const [name, value] of Object.entries(called)) Object.defineProperty(here, name, { value, enumerable: true });
  // The names that scripts have for both: see the server's side.
  const isOwn = (object) => object === window || object === document || object === undefined || object === null;
  for (const [word, name, value, set] of [
    ["location", "_webmill_location", here, navigate],
    ["top", "_webmill_top", fakeTop, () => {}],
  ]) {
    const descriptor = {
      get() { return (word === "top" ? this !== document : true) && isOwn(this) ? value : this[word]; },
      set(to) {
        if (isOwn(this)) set(to);
        else this[word] = to;
      },
    };
    Object.defineProperty(Object.prototype, name, descriptor);
    Object.defineProperty(window, name, descriptor);
  }
  // In `with (object)`, and in handlers of elements, they mean the object's own only where it has such.
  for (const type of [Element, Document]) Object.assign(type.prototype[Symbol.unscopables], { _webmill_location: true, _webmill_top: true });
  Object.defineProperty(Object.prototype, Symbol.unscopables, {
    get() { return { _webmill_location: !("location" in this), _webmill_top: !("top" in this) }; },
    set(value) { Object.defineProperty(this, Symbol.unscopables, { value, writable: true, configurable: true, enumerable: true }); },
    configurable: true,
  });
  const renamed = { location: "_webmill_location", top: "_webmill_top" };
  const key = (name) => typeof name === "string" && Object.hasOwn(renamed, name) ? renamed[name] : name;
  Object.defineProperty(window, "_webmill", {
    value: Object.freeze({
      key: (name) => key(typeof name === "object" && name !== null ? String(name) : name),
      script: (text) => typeof text === "string" ? script(text) : text,
      address: (name) => /^(?:https?:|[\/])/i.test(String(name)) ? lead(name, "js_") : name,
      original,
    }),
  });
  for (const name of ["get", "set"]) {
    method(Reflect, name, (native) => (target, property, ...rest) =>
      native(target, target === window || target === document ? key(property) : property, ...rest));
  }
  // Objects that answer for others know the names that they were given, not ours.
  const words = { _webmill_location: "location", _webmill_top: "top" };
  const NativeProxy = window.Proxy;
  window.Proxy = new NativeProxy(NativeProxy, {
    construct(target, [object, handler], self) {
      if (object === window || object === document || !handler || typeof handler !== "object") {
        return Reflect.construct(target, [object, handler], self);
      }
      const known = Object.create(handler);
      for (const trap of ["get", "set", "has"]) {
        if (typeof handler[trap] !== "function") continue;
        known[trap] = function (held, name, ...rest) {
          return handler[trap](held, typeof name === "string" && Object.hasOwn(words, name) ? words[name] : name, ...rest);
        };
      }
      return Reflect.construct(target, [object, known], self);
    },
  });

  // Whether a window of the name is this page's own, or one of the frames in it, which it may navigate.
  const own = (target) => target === "" || /^_self$/i.test(target) || target === window.name || document.getElementsByName(target).length > 0;
  const go = (url, target) => {
    if (own(target) && !/^_/.test(target) && target !== "" && target !== window.name) {
      const frame = [...document.getElementsByName(target)].find((found) => "contentWindow" in found);
      if (frame) return void (frame.src = url);
    }
    // Frames cannot navigate those around and beside them; those that hold them can.
    if (!isOutermost && !/^_(?:self|blank|new)$/i.test(target) && target !== "") return void nativeParent.postMessage({ webmill: "go", url, target }, "*");
    leave();
    nativePlace.assign(url);
  };
  addEventListener("message", (event) => {
    const said = wrapped(event);
    if (said) {
      // Meant for pages of another origin.
      if (said.to !== "*" && said.to !== origin()) event.stopImmediatePropagation();
      return;
    }
    const data = nativeData.call(event);
    if (!data || typeof data !== "object" || !/^(?:page|go)$/.test(data.webmill)) return;
    event.stopImmediatePropagation();
    const source = nativeSource.call(event);
    const from = [...document.querySelectorAll("iframe,frame")].find((frame) => contentOf.get(frame.localName).call(frame) === source);
    if (from && data.webmill === "go" && typeof data.url === "string" && archived.test(data.url)) {
      go(data.url, /^_parent$/i.test(data.target) ? "_self" : String(data.target));
    }
  });
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    const anchor = event.composedPath().find((node) => node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement);
    if (!anchor || !nativeGet.call(anchor, "href")) return;
    const written = nativeGet.call(anchor, "href").trim();
    if (isCode(written)) {
      event.preventDefault();
      return run(written);
    }
    if (/^(?!https?:)[a-z][a-z0-9+.-]*:|^#/i.test(written)) return;
    const common = document.querySelector("base[target]");
    const target = anchor.target || (common ? common.target : "");
    if (own(target)) return void leave();
    event.preventDefault();
    go(new URL(lead(written), nativeBase.call(document)).href, target);
  });
  addEventListener("submit", (event) => {
    const form = event.target;
    if (event.defaultPrevented || !(form instanceof HTMLFormElement)) return;
    leave();
    if (form.target && !own(form.target)) form.target = "_self";
  });
  // No event tells of it.
  method(HTMLFormElement.prototype, "submit", (native) => function submit() {
    leave();
    return native.call(this);
  });
  window.open = (url, target = "_blank") => {
    // A window of one's own is not to be had; what its reader asked for is shown here.
    const wanted = url && (own(String(target)) || (navigator.userActivation && navigator.userActivation.isActive));
    if (wanted) go(new URL(lead(url), nativeBase.call(document)).href, String(target));
    return null;
  };

  document.addEventListener("DOMContentLoaded", tell);
  addEventListener("load", tell);
})();
