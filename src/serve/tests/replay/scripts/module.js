export const location = "an export";
export const host = globalThis.location.host;
export { url };
const url = new URL("/data", import.meta.url).href;
