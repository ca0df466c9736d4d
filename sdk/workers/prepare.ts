/** Runs in a worker before its file: addresses are relative to the file, as if the worker had been started from it. */
const file = new URL(location.hash.slice(1));
const toFile = (url: string | URL) => new URL(url, file).href;
const worker = self as unknown as {
  fetch: typeof window.fetch;
  importScripts(...urls: string[]): void;
};
const { fetch: load, importScripts } = worker;
const { open: begin } = XMLHttpRequest.prototype;

Object.defineProperty(self, 'location', { configurable: true, value: file });
worker.fetch = (what, init) => load(what instanceof Request ? what : toFile(what), init);
worker.importScripts = (...urls) => importScripts(...urls.map(toFile));
XMLHttpRequest.prototype.open = function (method: string, url: string | URL, ...rest: unknown[]) {
  return Reflect.apply(begin, this, [method, toFile(url), ...rest]);
};
