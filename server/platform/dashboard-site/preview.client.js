/**
 * Runs inside the preview's frame: receives one document from the dashboard and replaces itself with it. The SDK
 * stays loaded, because `document.open` keeps the window.
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
    // Not earlier: opening a document removes the window's listeners.
    addEventListener('scroll', report, { passive: true });
    if (top > 0) scrollTo({ top, behavior: 'instant' });
    tell('shown');
  });
  tell('ready');
})();
