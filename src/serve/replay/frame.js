// The page around a replayed page: keeps banner and address true to what the frame shows.
// What arrives from the frame is hostile: it is compared with patterns, and used as text and as addresses of this collection only.
(() => {
  "use strict";
  const { prefix, timestamp, token } = document.currentScript.dataset;
  const frame = document.querySelector("iframe");
  if (!frame) return;
  let time = timestamp;
  // Dot segments would lead to another address of this server than that of the page.
  const isWeb = (url) => {
    if (typeof url !== "string" || url.length >= 16384 || !/^https?:\/\/[^\s\\]+$/i.test(url)) return false;
    const start = `${prefix}${time}/`;
    return new URL(`${start}${url}`, location.origin).pathname.startsWith(`${start}${url.slice(0, 7)}`);
  };
  let shown = null;
  let asked = 0;

  // The banner of another capture is that of its own page.
  async function follow(url, title) {
    const address = `${prefix}${time}/${url.split("#")[0]}`;
    const call = ++asked;
    try {
      const answer = await fetch(address, { headers: { accept: "text/html" } });
      const other = new DOMParser().parseFromString(await answer.text(), "text/html");
      const banner = other.getElementById("banner");
      if (!banner || call !== asked) return;
      const old = document.getElementById("banner");
      const open = old.querySelector("details").open;
      const held = !document.getElementById("left").hidden;
      old.replaceWith(document.adoptNode(banner));
      banner.querySelector("details").open = open;
      document.getElementById("left").hidden = !held;
      history.replaceState(null, "", `${prefix}${time}/${url}`);
      document.title = title || other.title;
    } catch (_) {
      // The banner stays as it was.
    }
  }

  addEventListener("message", (event) => {
    const { source, data } = event;
    if (source !== frame.contentWindow || !data || data.webmill !== "page" || !isWeb(data.url)) return;
    if (typeof data.timestamp === "string" && /^\d{14}$/.test(data.timestamp)) time = data.timestamp;
    const title = typeof data.title === "string" ? data.title.slice(0, 300) : "";
    if (shown !== null && shown !== data.url) follow(data.url, title);
    else if (title) document.title = title;
    shown = data.url;
  });

  // A frame that is led out of the archive is held back by the policy of this page. The page that it showed comes back, once: one
  // that leads out by itself would do so again.
  const returned = new Set();
  document.addEventListener("securitypolicyviolation", (event) => {
    if (!/^(frame|child)-src$/.test(event.effectiveDirective)) return;
    const left = document.getElementById("left");
    if (left) left.hidden = false;
    if (shown === null || returned.has(shown)) return;
    returned.add(shown);
    frame.src = `${prefix}${time}mp_${token}/${shown}`;
  });
})();
