// Counts the errors that the page's scripts leave to nobody.
globalThis.webmillErrors = 0;
addEventListener("error", event => { if (event instanceof ErrorEvent) globalThis.webmillErrors++; });
addEventListener("unhandledrejection", () => { globalThis.webmillErrors++; });
