import { afterAll, beforeAll, expect, test } from 'bun:test';
import { PASSWORD } from '../support/http/call.ts';
import { askHttps } from '../support/pages/caddy.ts';
import { openPublicService, type PublicService } from '../support/pages/public-service.ts';

/** The whole way of a domain, with the programs that an operator uses. */

const DOMAIN = 'shop.customer.test';
const NAVIGATE = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };

let service: PublicService;
beforeAll(async () => {
  service = await openPublicService();
});
afterAll(() => service?.stop());

const ask = (name: string, path = '/', headers: Record<string, string> = {}) =>
  askHttps(name, service.ports.https, { root: service.pebble.root, path, headers });

/** Calls the API behind the proxy. */
async function call(method: string, path: string, body?: unknown, token?: string) {
  const response = await fetch(`http://127.0.0.1:${service.server.port}${path}`, {
    method,
    headers: {
      host: new URL(service.baseUrl).host,
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
  const { dns, host, ports } = service;
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
  const moved = await ask(host, `/p/${slug}`, NAVIGATE);
  expect([moved.status, moved.headers.location]).toEqual([302, `https://${DOMAIN}:${ports.https}/`]);
  const session = await ask(DOMAIN, '/~session?search=', NAVIGATE);
  expect(String(session.headers['set-cookie'])).toMatch(
    /^__Host-quire_browser=.*; Path=\/; HttpOnly; SameSite=Lax; Secure$/,
  );
  expect((await ask(`p${id}.pages.test`)).status).toBe(200);
  expect((await ask(host, '/healthz')).status).toBe(200);
  expect((await ask(host, '/metrics')).status).toBe(404);
  for (const each of [served, moved, session, await ask(`p${id}.pages.test`), await ask(host, '/metrics')])
    expect(each.headers['strict-transport-security']).toBe('max-age=31536000');
});

test('a host that is not ours gets no certificate', async () => {
  for (const name of ['other.test', 'p999.pages.test', `www.${DOMAIN}`])
    await expect(ask(name)).rejects.toThrow(/ALERT_INTERNAL_ERROR/);
  expect(service.pebble.output()).not.toContain('other.test');
});

test('plain HTTP leads to HTTPS', async () => {
  const response = await fetch(`http://127.0.0.1:${service.ports.http}/a?b`, {
    headers: { host: `${DOMAIN}:${service.ports.http}` },
    redirect: 'manual',
  });
  expect([response.status, response.headers.get('location')]).toEqual([
    308,
    // Behind a port of the operator's choice, Caddy expects to be at the usual one.
    `https://${DOMAIN}/a?b`,
  ]);
});
