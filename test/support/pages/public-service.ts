import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takePorts } from '../ports.ts';
import { startServer, type TestServer } from '../server.ts';
import { type CaddyPorts, type Pebble, startCaddy, startPebble } from './caddy.ts';
import { type DnsServer, startDns } from './dns.ts';

/** A service as strangers find it: by name, over HTTPS, with certificates that are issued on demand. */
export interface PublicService {
  /** The host of the service itself. */
  host: string;
  baseUrl: string;
  dns: DnsServer;
  ports: CaddyPorts;
  pebble: Pebble;
  server: TestServer;
  stop(): Promise<void>;
}

const HOST = 'quire.test';

export async function openPublicService(): Promise<PublicService> {
  const folder = mkdtempSync(join(tmpdir(), 'quire-public-'));
  // Every name leads to this machine, also those that are not ours.
  const dns = await startDns({ a: ['127.0.0.1'] });
  const ports = { http: takePorts(1), https: takePorts(1) };
  const pebble = await startPebble({ folder, dns: dns.address, ports });
  const baseUrl = `https://${HOST}:${ports.https}`;
  const server = await startServer({
    settings: {
      QUIRE_BASE_URL: baseUrl,
      QUIRE_PAGES_HOST: 'pages.test',
      QUIRE_TRUSTED_PROXIES: '127.0.0.1',
      QUIRE_DNS_SERVERS: dns.address,
      QUIRE_METRICS_ALLOW: '0.0.0.0/0',
    },
  });
  const caddy = await startCaddy({ folder, ports, upstream: server.port, pebble });
  return {
    ...{ host: HOST, baseUrl, dns, ports, pebble, server },
    async stop() {
      await caddy.stop();
      await server.stop();
      await pebble.stop();
      await dns.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
