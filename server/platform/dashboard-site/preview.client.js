/**
 * Runs inside the preview's frame: receives one document from the dashboard, with files that it cannot get elsewhere,
 * and replaces itself with it. The SDK stays loaded, because `document.open` keeps the window.
 */
(() => {
  const dashboard = document.currentScript.dataset.base;
  const tell = (message) => parent.postMessage({ preview: message }, dashboard);
  const report = () => tell({ top: Math.round(scrollY) });

  /** Gives the files addresses in this frame. Each may refer to those before it. */
  const place = (html, files) => {
    const urls = [];
    const fill = (text) => text.replace(/quire-preview-file-(\d+)\./g, (name, index) => urls[index] ?? name);
    for (const file of files) {
      const blob = file instanceof Blob ? file : new Blob([fill(file.text)], { type: file.type });
      urls.push(URL.createObjectURL(blob));
    }
    return fill(html);
  };

  /** A link to a place in the document: relative to the base that the document has here, it would lead away. */
  const follow = (event) => {
    const link = event.target.closest?.('a[href^="#"]');
    if (!link || event.defaultPrevented || event.button !== 0) return;
    event.preventDefault();
    location.hash = link.getAttribute('href');
  };

  addEventListener('message', (event) => {
    if (event.source !== parent || event.origin !== dashboard) return;
    const { html, files = [], top } = event.data ?? {};
    if (typeof html !== 'string') return;
    const written = place(html, files);
    document.open();
    document.write(written);
    document.close();
    // Not earlier: opening a document removes the window's listeners.
    addEventListener('scroll', report, { passive: true });
    addEventListener('click', follow);
    if (top > 0) scrollTo({ top, behavior: 'instant' });
    tell('shown');
  });
  tell('ready');
})();
