import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, testApp } from '../../support/app.ts';

/** Any name can lead to this server (DNS rebinding). Only its own are served. */

let quire: TestApp;
let slug: string;

beforeAll(async () => {
  quire = await testApp();
  const ada = await quire.user('ada');
  slug = (await ada.publish({ name: 'Here' })).slug;
});
afterAll(() => quire.stop());

const at = (host: string, path: string, method = 'GET') => quire.call(method, `http://${host}${path}`);

describe.each(['evil.example', 'evil.example:3000', '10.0.0.7:3000', 'localhost.evil.example'])(
  'a request for %s',
  (host) => {
    test.each([
      ['GET', '/'],
      ['GET', '/p/here'],
      ['GET', '/login'],
      ['GET', '/api/pages'],
      ['GET', '/api/openapi.json'],
      ['POST', '/api/auth/login'],
      ['POST', '/api/functions/unfurl-url'],
      ['POST', '/mcp'],
      ['GET', '/nowhere'],
    ])('gets 421: %s %s', async (method, path) => {
      expect((await at(host, path, method)).status).toBe(421);
    });

    test.each(['/livez', '/readyz', '/readyz/haproxy', '/healthz', '/api/tls/allow?domain=localhost'])(
      'of an operator is served: %s',
      async (path) => {
        expect((await at(host, path)).status).toBe(200);
      },
    );
  },
);

test('programs learn where the server is, in JSON, and operators how to use the name', async () => {
  const { status, body } = await at('evil.example', '/api/pages');
  expect([status, body.code]).toEqual([421, 'MISDIRECTED']);
  expect(body.error).toContain(quire.baseUrl);
  expect(body.error).toContain('QUIRE_BASE_URL');
});

test.each([
  'localhost:3000',
  'LOCALHOST:3000',
  'localhost',
  '127.0.0.1:3000',
  '[::1]:3000',
  'quire.localhost',
])('with a base URL at localhost, %s is served', async (host) => {
  expect((await at(host, `/p/${slug}`)).status).not.toBe(421);
  expect((await at(host, '/api/pages')).status).toBe(401);
  expect((await at(host, '/api/functions/none', 'POST')).status).toBe(404);
});
