/**
 * Runs inside the preview's frame: takes one document from the dashboard around it and becomes that document. The
 * SDK stays, because `document.open` keeps the window.
 */
(() => {
  const dashboard = document.currentScript.dataset.base;
  const tell = (message) => parent.postMessage({ preview: message }, dashboard);
  const report = () => tell({ top: Math.round(scrollY) });

  addEventListener('message', (event) => {
    if (event.source !== parent || event.origin !== dashboard) return;
    const { html, top } = event.data ?? {};
    if (typeof html !== 'string') return;
    document.open();
    document.write(html);
    document.close();
    // Only now: opening a document takes away who listens to the window.
    addEventListener('scroll', report, { passive: true });
    if (top > 0) scrollTo({ top, behavior: 'instant' });
    tell('shown');
  });
  tell('ready');
})();
