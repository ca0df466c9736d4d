/**
 * Runs inside the preview's frame: receives one document from the dashboard, with files that it cannot get elsewhere,
 * and replaces itself with it. The SDK stays loaded, because `document.open` keeps the window. What the document logs
 * and what fails in it is reported to the dashboard, which trusts nothing of it: the document can replace all of this.
 */
(() => {
  const { base: dashboard, sdk, pageId, slug } = document.currentScript.dataset;
  const { setTimeout, setInterval } = window;
  const tell = (message) => parent.postMessage({ preview: message }, dashboard);
  const report = () => tell({ top: Math.round(scrollY) });
  /** The addresses of the files in this frame. */
  const urls = [];

  const MAX_TEXT = 2000;
  const MAX_WAITING = 100;
  const FLUSH_MS = 150;
  let waiting = [];
  let dropped = 0;

  const log = (level, text, place = {}) => {
    if (waiting.length === 0 && dropped === 0) setTimeout(flush, FLUSH_MS);
    if (waiting.length === MAX_WAITING) dropped++;
    else waiting.push({ level, text: text.slice(0, MAX_TEXT), ...place });
  };
  const flush = () => {
    tell({ console: waiting, dropped });
    waiting = [];
    dropped = 0;
  };

  /** The place in an inline script or in a file that came along; nothing for other addresses. */
  const locate = (address, line, column) => {
    if (!address || !(line > 0)) return {};
    const script = /quire-preview-script-(\d+)$/.exec(address);
    if (script) return { script: Number(script[1]), line, column };
    const file = urls.indexOf(address);
    return file < 0 ? {} : { file, line, column };
  };
  const placeInStack = (stack) => {
    for (const line of String(stack ?? '').split('\n')) {
      const found = /(blob:[^\s()]+?|quire-preview-script-\d+):(\d+):(\d+)/.exec(line);
      const place = found && locate(found[1], Number(found[2]), Number(found[3]));
      if (place?.line) return place;
    }
    return {};
  };

  const show = (value) => {
    try {
      if (typeof value === 'string') return value;
      if (value instanceof Error) return String(value);
      if (typeof value === 'object' && value !== null) return JSON.stringify(value) ?? String(value);
      return String(value);
    } catch {
      return '[cannot be shown]';
    }
  };

  /** Reports failed requests. Called before the SDK loads, so that its requests are seen too. */
  const watchRequests = () => {
    const { fetch } = window;
    /** The SDK asks this by itself, also where only some people can see the page. That is not an error of the page. */
    const isOwnQuestion = (url) => url === `${dashboard}/api/pages/${pageId}/visitor`;
    const path = (url) => (url.startsWith(`${dashboard}/`) ? url.slice(dashboard.length) : url);
    window.fetch = async (input, init) => {
      const request = new Request(input, init);
      try {
        const response = await fetch(request);
        if (response.status >= 400 && !(response.status === 403 && isOwnQuestion(request.url)))
          log('request', `${request.method} ${path(request.url)}: status ${response.status}`);
        return response;
      } catch (error) {
        if (error?.name !== 'AbortError')
          log('request', `${request.method} ${path(request.url)}: no response`);
        throw error;
      }
    };
  };

  const watchConsole = () => {
    for (const level of ['debug', 'log', 'info', 'warn', 'error']) {
      const original = console[level].bind(console);
      const wrapped = (...values) => {
        const holder = {};
        Error.captureStackTrace?.(holder, wrapped);
        const error = values.find((value) => value instanceof Error);
        const own = error ? placeInStack(error.stack) : {};
        log(level, values.map(show).join(' '), own.line ? own : placeInStack(holder.stack));
        original(...values);
      };
      console[level] = wrapped;
    }
  };

  const watchErrors = () => {
    const failed = (event) => {
      if (event.target !== window) {
        const url = event.target?.src || event.target?.href;
        if (url) log('request', `${String(event.target.localName)}: ${url} could not be loaded`);
        return;
      }
      const place = placeInStack(event.error?.stack);
      const where = place.line ? place : locate(event.filename, event.lineno, event.colno);
      log('error', String(event.message), where);
    };
    addEventListener('error', failed, true);
    addEventListener('unhandledrejection', ({ reason }) =>
      log('error', `Uncaught (in promise) ${show(reason)}`, placeInStack(reason?.stack)),
    );
  };

  const fill = (text) => text.replace(/quire-preview-file-(\d+)\./g, (name, index) => urls[index] ?? name);
  /** Gives the files addresses in this frame. Each may refer to those before it. */
  const place = (html, files) => {
    for (const file of files) {
      const blob = file instanceof Blob ? file : new Blob([fill(file.text)], { type: file.type });
      urls.push(URL.createObjectURL(blob));
    }
    return fill(html);
  };

  /** Loads the SDK after the message with the visitor's session, which the SDK reads from its own element. */
  const loadSdk = (session) =>
    new Promise((done) => {
      const script = document.createElement('script');
      Object.assign(script.dataset, { pageId, slug, base: dashboard, preview: '' });
      if (session) script.dataset.pageSession = session;
      script.onload = done;
      script.onerror = done;
      script.src = sdk;
      document.head.append(script);
    });

  /** A link to a place in the document: relative to the base that the document has here, it would lead away. */
  const follow = (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link || event.defaultPrevented || event.button !== 0) return;
    event.preventDefault();
    location.hash = link.getAttribute('href');
  };

  /** As they are before the document can replace them. */
  const native = {
    apply: Reflect.apply,
    post: MessagePort.prototype.postMessage,
    readData: Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data').get,
  };
  /** How often to listen again: a document that writes itself anew removes all listeners. */
  const LISTEN_MS = 1000;
  /** Lets the person change the page by pointing at it, if the dashboard has sent a way to talk about it. */
  const startEditing = (port) => {
    if (!port) return;
    const listen = createEditing(port, fill, native);
    listen();
    setInterval(listen, LISTEN_MS);
  };

  let isTaken = false;
  addEventListener('message', async (event) => {
    if (isTaken || event.source !== parent || event.origin !== dashboard) return;
    const { html, files = [], top, session } = event.data ?? {};
    if (typeof html !== 'string') return;
    isTaken = true;
    watchRequests();
    await loadSdk(session);
    const written = place(html, files);
    document.open();
    // Errors are not watched earlier: opening a document removes the window's listeners.
    watchErrors();
    watchConsole();
    startEditing(event.ports[0]);
    document.write(written);
    document.close();
    addEventListener('scroll', report, { passive: true });
    addEventListener('click', follow);
    if (top > 0) scrollTo({ top, behavior: 'instant' });
    tell('shown');
  });
  tell('ready');
})();
