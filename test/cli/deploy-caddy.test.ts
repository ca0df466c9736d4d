import { afterAll, beforeAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { askHttps, type CaddyPorts, type Pebble, startCaddy, startPebble } from '../support/caddy.ts';
import { PASSWORD } from '../support/call.ts';
import { type DnsServer, startDns } from '../support/dns.ts';
import type { Engine } from '../support/engine.ts';
import { takePorts } from '../support/ports.ts';
import { startServer, type TestServer } from '../support/server.ts';

/** The whole way of a domain, with the programs that an operator uses. */

const BASE = 'quire.test';
const DOMAIN = 'shop.customer.test';
const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

let folder: string;
let dns: DnsServer;
let ports: CaddyPorts;
let pebble: Pebble;
let server: TestServer;
let caddy: Engine;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-caddy-'));
  // Every name leads to this machine, also those that are not ours.
  dns = await startDns({ a: ['127.0.0.1'] });
  ports = { http: takePorts(1), https: takePorts(1) };
  pebble = await startPebble({ folder, dns: dns.address, ports });
  server = await startServer({
    settings: {
      QUIRE_BASE_URL: `https://${BASE}:${ports.https}`,
      QUIRE_PAGES_HOST: 'pages.test',
      QUIRE_TRUSTED_PROXIES: '127.0.0.1',
      QUIRE_DNS_SERVERS: dns.address,
      QUIRE_METRICS_ALLOW: '0.0.0.0/0',
    },
  });
  caddy = await startCaddy({ folder, ports, upstream: server.port, pebble });
});
afterAll(async () => {
  await caddy?.stop();
  await server?.stop();
  await pebble?.stop();
  await dns?.stop();
  rmSync(folder, { recursive: true, force: true });
});

const ask = (name: string, path = '/', headers: Record<string, string> = {}) =>
  askHttps(name, ports.https, { root: pebble.root, path, headers });

/** Calls the API behind the proxy. */
async function call(method: string, path: string, body?: unknown, token?: string) {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method,
    headers: {
      host: `${BASE}:${ports.https}`,
      'content-type': 'application/json',
      ...(token && { authorization: `Bearer ${token}` }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  expect(response.status).toBeLessThan(300);
  // biome-ignore lint/suspicious/noExplicitAny: tests read bodies of any shape
  return (await response.json()) as any;
}

test('a page is at its domain over HTTPS, with a certificate that was issued on demand', async () => {
  const registration = { username: 'owner', email: 'owner@example.com', password: PASSWORD };
  const { accessToken } = await call('POST', '/api/auth/register', registration);
  const page = { name: 'Shop', html_content: '<title>Shop</title><p>Welcome to the shop' };
  const { id, slug } = (await call('POST', '/api/pages', page, accessToken)).page;
  const added = await call('POST', `/api/pages/${id}/domains`, { domain: DOMAIN }, accessToken);
  // Not proven yet: no certificate, although the name leads here.
  await expect(ask(DOMAIN)).rejects.toThrow(/ALERT_INTERNAL_ERROR/);

  dns.set(added.dns[0].name, { txt: [added.dns[0].value] });
  dns.set(DOMAIN, { a: ['127.0.0.1'] });
  const verified = await call('POST', `/api/pages/${id}/domains/${DOMAIN}/verify`, undefined, accessToken);
  expect(verified.status).toBe('verified');

  const served = await ask(DOMAIN, '/', NAVIGATE);
  expect(served.status).toBe(200);
  expect(served.text).toContain('Welcome to the shop');
  expect(served.text).toContain(`og:url" content="https://${DOMAIN}:${ports.https}/"`);
  const moved = await ask(BASE, `/p/${slug}`, NAVIGATE);
  expect([moved.status, moved.headers.location]).toEqual([302, `https://${DOMAIN}:${ports.https}/`]);
  const session = await ask(DOMAIN, '/~session?search=', NAVIGATE);
  expect(String(session.headers['set-cookie'])).toMatch(
    /^__Host-quire_browser=.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect((await ask(`p${id}.pages.test`)).status).toBe(200);
  expect((await ask(BASE, '/healthz')).status).toBe(200);
  expect((await ask(BASE, '/metrics')).status).toBe(404);
});

test('a host that is not ours gets no certificate', async () => {
  for (const name of ['other.test', 'p999.pages.test', `www.${DOMAIN}`])
    await expect(ask(name)).rejects.toThrow(/ALERT_INTERNAL_ERROR/);
  expect(pebble.output()).not.toContain('other.test');
});

test('plain HTTP leads to HTTPS', async () => {
  const response = await fetch(`http://127.0.0.1:${ports.http}/a?b`, {
    headers: { host: `${DOMAIN}:${ports.http}` },
    redirect: 'manual',
  });
  expect([response.status, response.headers.get('location')]).toEqual([
    308,
    // Behind a port of the operator's choice, Caddy expects to be at the usual one.
    `https://${DOMAIN}/a?b`,
  ]);
});
