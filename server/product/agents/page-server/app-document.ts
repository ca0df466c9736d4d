/** The document of the app. `{{URL}}` stands for the address of the page, which it shows in a frame. */
export const APP_DOCUMENT = `<!doctype html>
<html lang="en">
  <meta charset="utf-8">
  <meta name="color-scheme" content="light dark">
  <title>Page</title>
  <style>
    html, body { height: 100%; margin: 0; }
    body { display: flex; flex-direction: column; min-height: 480px; font: 14px/1.4 system-ui, sans-serif; }
    iframe { flex: 1; border: 0; background: Canvas; }
    a { padding: 8px 12px; color: LinkText; }
  </style>
  <iframe title="The page" src="{{URL}}" referrerpolicy="no-referrer" sandbox="allow-scripts allow-forms allow-popups allow-popups-to-escape-sandbox allow-modals allow-downloads"></iframe>
  <a href="{{URL}}" target="_blank" rel="noopener noreferrer">Open this page in the browser</a>
  <script>
    const host = window.parent;
    const link = document.querySelector('a');
    let opensLinks = false;
    const send = (message) => host.postMessage({ jsonrpc: '2.0', ...message }, '*');
    addEventListener('message', ({ source, data }) => {
      // Ignore messages of the page in the frame: it must not speak to the host in our name.
      if (source !== host || data?.jsonrpc !== '2.0') return;
      if (data.id === 1 && data.result) {
        opensLinks = Boolean(data.result.hostCapabilities?.openLinks);
        send({ method: 'ui/notifications/initialized' });
        send({ method: 'ui/notifications/size-changed', params: { height: 600 } });
      } else if (data.method !== undefined && data.id !== undefined) {
        send({ id: data.id, result: {} });
      }
    });
    link.addEventListener('click', (event) => {
      if (!opensLinks) return;
      event.preventDefault();
      send({ id: 2, method: 'ui/open-link', params: { url: link.href } });
    });
    const appInfo = { name: 'quire-page', version: '1.0.0' };
    send({ id: 1, method: 'ui/initialize', params: { protocolVersion: '2026-01-26', appInfo, appCapabilities: {} } });
  </script>
</html>
`;
