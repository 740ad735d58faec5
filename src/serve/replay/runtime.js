// What a replayed page runs before its own scripts. It leads into the archive what scripts ask for, and stands in for
// what an origin of one's own forbids (cookies, storage). It makes pages work; it protects nobody: see the policy of the answers.
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
  const base = () => {
    const now = original(nativeBase.call(document));
    return /^https?:/.test(now) ? now : captured;
  };
  const place = (url, modifier) => `${server}${prefix}${timestamp}${modifier}${token}/${url}`;
  const lead = (value, modifier = "mp_") => {
    if (value === null || value === undefined) return value;
    const text = String(value);
    const bare = text.trim();
    if (bare === "" || bare[0] === "#" || archived.test(bare) || /^(?!https?:)[a-z][a-z0-9+.-]*:/i.test(bare)) return text;
    // What is relative to its folder leads there by itself, with its query in the page's encoding.
    if (!/^[a-z]+:|^[\/\\]|\.\.|%2e|[\t\n\r]/i.test(bare)) return text;
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
    if (!/^[a-z]+:|^[\/\\]/i.test(bare)) {
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
      }));
  const modifierOf = (element, name) => {
    switch (element.toLowerCase()) {
      case "script": return "js_";
      case "iframe": case "frame": return name === "src" ? "if_" : "mp_";
      case "img": case "source": case "video": case "audio": case "track": case "input": case "image": case "use": return "im_";
      default: return "mp_";
    }
  };

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
  const host = () => { try { return new URL(base()).hostname; } catch (_) { return ""; } };
  getter(Document.prototype, "domain", host, () => {});
  const referrer = document.referrer;
  getter(Document.prototype, "referrer", () => archived.test(referrer) ? original(referrer) : "");
  for (const name of ["URL", "documentURI"]) redefine(Document.prototype, name, ({ get }) => ({ get() { return original(get.call(this)); } }));
  redefine(Node.prototype, "baseURI", ({ get }) => ({ get() { return original(get.call(this)); } }));
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

  // Where the page goes.
  for (const name of ["pushState", "replaceState"]) {
    method(History.prototype, name, (native) => function (state, title, url) {
      try {
        return url === undefined || url === null ? native.call(this, state, title) : native.call(this, state, title, lead(url));
      } catch (_) {
        // Without an origin the address stays.
        return native.call(this, state, title);
      }
    });
  }
  const assign = (url) => location.assign(url);
  // Whether a window of the name is this page's own, or one of the frames in it, which it may navigate.
  const own = (target) => target === "" || /^_self$/i.test(target) || target === window.name || document.getElementsByName(target).length > 0;
  const go = (url, target) => {
    if (own(target) && !/^_/.test(target) && target !== "" && target !== window.name) {
      const frame = [...document.getElementsByName(target)].find((found) => "contentWindow" in found);
      if (frame) return void (frame.src = url);
    }
    // Frames cannot navigate those around and beside them; those that hold them can.
    const outermost = parent === window || outer;
    if (!outermost && !/^_(?:self|blank|new)$/i.test(target) && target !== "") return void parent.postMessage({ webmill: "go", url, target }, "*");
    assign(url);
  };
  // Whether the window around this one is that of the banner: it does not answer as pages do.
  let outer = true;
  addEventListener("message", (event) => {
    const { data } = event;
    if (!data || typeof data !== "object") return;
    if (data.webmill === "inner" && event.source === parent) {
      outer = false;
      event.stopImmediatePropagation();
    } else if (data.webmill === "page" || data.webmill === "go") {
      const from = [...document.querySelectorAll("iframe,frame")].find((frame) => frame.contentWindow === event.source);
      if (!from) return;
      event.stopImmediatePropagation();
      if (data.webmill === "page") event.source.postMessage({ webmill: "inner" }, "*");
      else if (typeof data.url === "string" && archived.test(data.url)) {
        go(data.url, /^_parent$/i.test(data.target) ? "_self" : String(data.target));
      }
    }
  });
  addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    const anchor = event.composedPath().find((node) => node instanceof HTMLAnchorElement || node instanceof HTMLAreaElement);
    if (!anchor || !nativeGet.call(anchor, "href")) return;
    const written = nativeGet.call(anchor, "href").trim();
    if (/^(?!https?:)[a-z][a-z0-9+.-]*:|^#/i.test(written)) return;
    const common = document.querySelector("base[target]");
    const target = anchor.target || (common ? common.target : "");
    if (own(target)) return;
    event.preventDefault();
    go(new URL(lead(written), nativeBase.call(document)).href, target);
  });
  addEventListener("submit", (event) => {
    const form = event.target;
    if (!event.defaultPrevented && form instanceof HTMLFormElement && form.target && !own(form.target)) form.target = "_self";
  });
  window.open = (url, target = "_blank") => {
    // A window of one's own is not to be had; what its reader asked for is shown here.
    const wanted = url && navigator.userActivation && navigator.userActivation.isActive;
    if (wanted) go(new URL(lead(url), nativeBase.call(document)).href, String(target));
    return null;
  };

  const tell = () => {
    if (parent === window) return;
    const url = original(location.href);
    parent.postMessage({ webmill: "page", url: /^https?:/.test(url) ? url : captured, timestamp, title: document.title }, "*");
  };
  document.addEventListener("DOMContentLoaded", tell);
  addEventListener("load", tell);
})();
