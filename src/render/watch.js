// Counts the errors that the page's scripts leave to nobody. In the page's own world: others hear nothing of them.
(() => {
  let errors = 0;
  addEventListener("error", event => { if (event instanceof ErrorEvent) errors++; });
  addEventListener("unhandledrejection", () => { errors++; });
  Object.defineProperty(globalThis, "webmillErrors", { get: () => errors });
})()
