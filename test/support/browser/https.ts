/** The proxy in front of a real installation: accepts HTTPS, and passes on HTTP with the same `Host`. */
export function startHttps(targetPort: number): { port: number; stop(): Promise<void> } {
  const { key, cert } = makeCertificate();
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { key, cert },
    fetch(request) {
      const { pathname, search } = new URL(request.url);
      return fetch(`http://127.0.0.1:${targetPort}${pathname}${search}`, {
        method: request.method,
        headers: request.headers,
        body: request.body,
        redirect: 'manual',
        decompress: false,
      });
    },
  });
  return { port: server.port ?? 0, stop: () => server.stop(true) };
}

/** A new self-signed certificate. */
function makeCertificate(): { key: string; cert: string } {
  const command =
    'openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=quire.test -keyout - -out -';
  const { stdout, stderr, success } = Bun.spawnSync(command.split(' '));
  if (!success) throw new Error(`openssl failed: ${stderr}`);
  const text = stdout.toString();
  const certAt = text.indexOf('-----BEGIN CERTIFICATE-----');
  return { key: text.slice(0, certAt), cert: text.slice(certAt) };
}
