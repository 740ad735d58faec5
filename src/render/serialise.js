// The tree as HTML, open shadow trees included, at most LIMIT characters. Runs in a world that the page's scripts cannot reach.
(() => {
  const limit = LIMIT, most = 10000;
  const root = document.documentElement;
  if (!root) return { url: location.href, html: "", cut: false };
  const shadows = [];
  const waiting = [root];
  while (waiting.length && shadows.length < most) {
    const walker = document.createTreeWalker(waiting.pop(), NodeFilter.SHOW_ELEMENT);
    for (let node = walker.currentNode; node && shadows.length < most; node = walker.nextNode()) {
      if (node.shadowRoot) {
        shadows.push(node.shadowRoot);
        waiting.push(node.shadowRoot);
      }
    }
  }
  let html;
  if (root instanceof HTMLHtmlElement && root.getHTML) {
    const shell = root.cloneNode(false).outerHTML;
    const end = shell.lastIndexOf("</");
    html = (document.doctype ? "<!DOCTYPE " + document.doctype.name + ">" : "") + shell.slice(0, end) +
      root.getHTML({ shadowRoots: shadows }) + shell.slice(end);
  } else {
    html = root.outerHTML;
  }
  const cut = html.length > limit;
  return { url: location.href, html: cut ? html.slice(0, limit) : html, cut };
})()
