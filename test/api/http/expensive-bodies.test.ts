import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';

/** Bodies that are small but expensive. Each of these once took seconds, or caused megabytes of output. */

let quire: TestApp;
let ada: TestUser;

beforeAll(async () => {
  quire = await testApp();
  ada = await quire.user('ada');
});
afterAll(() => quire.stop());

async function send(path: string, body: string, type: string) {
  const response = await quire.request(path, {
    method: 'POST',
    headers: { 'content-type': type, authorization: `Bearer ${ada.token}`, origin: quire.baseUrl },
    body,
  });
  return { status: response.status, text: await response.text() };
}

describe('a form', () => {
  const FORM = 'application/x-www-form-urlencoded';
  const others = (count: number) => Array.from({ length: count }, (_, i) => `&f${i}=`).join('');
  const credentials = `username=ada&password=${encodeURIComponent('wrong password')}`;

  test.each(['/api/auth/token', '/api/auth/token/refresh', '/login', '/register', '/setup', '/consent'])(
    'has at most 50 fields: %s',
    async (path) => {
      const { status, text } = await send(path, `${credentials}${others(49)}`, FORM);
      expect(status).toBe(400);
      expect(text).toContain('more than 50 fields');
    },
  );

  test('can have 50 fields', async () => {
    expect((await send('/login', `${credentials}${others(48)}`, FORM)).status).toBe(401);
  });

  test('that is longer than any form is refused because of its size', async () => {
    const { status } = await send('/api/auth/token', `${credentials}${others(110_000)}`, FORM);
    expect(status).toBe(413);
  });
});

describe('JSON', () => {
  const JSON_TYPE = 'application/json';
  test.each(['/api/pages', '/mcp'])('with too many keys is refused: %s', async (path) => {
    const { status, text } = await send(path, `[${'[],'.repeat(2_000_000)}[]]`, JSON_TYPE);
    expect(status).toBe(400);
    expect(text).toContain('values');
  });

  test.each(['/api/auth/token', '/api/auth/tokens'])('with a long list gets one error: %s', async (path) => {
    const body = { username: 'ada', password: ada.password, name: 'x', scopes: Array(9_000).fill('x') };
    const { status, text } = await send(path, JSON.stringify(body), JSON_TYPE);
    expect(status).toBe(400);
    expect(text).toContain('scopes: has more than');
    expect(text.length).toBeLessThan(1_000);
  });

  test('of a tool frees its memory: one sender can send more than all senders can at once', async () => {
    const input = { name: '', html_content: 'x'.repeat(23 * 1024 * 1024) };
    const message = {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'create_page', arguments: input },
    };
    const body = JSON.stringify(message);
    for (let sent = 0; sent < 12; sent++) {
      const { status, text } = await send('/mcp', body, JSON_TYPE);
      expect(status).toBe(200);
      expect(text).toContain('BAD_REQUEST');
    }
  });

  test('with ten thousand unknown fields gets an error that names fifty', async () => {
    const body = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`unknown${i}`, 1]));
    const answer = await ada.call('POST', '/api/pages', { body });
    expect(answer.status).toBe(400);
    expect(answer.body.details).toHaveLength(50);
  });
});

test('a slug can have 200 characters before it is normalized', async () => {
  const page = await ada.publish();
  const patch = (slug: string) => ada.call('PATCH', `/api/pages/${page.id}`, { body: { slug } });
  expect((await patch('é'.repeat(200))).body.slug).toBe('e'.repeat(100));
  const refused = await patch('é'.repeat(201));
  expect([refused.status, refused.body.details]).toMatchObject([
    400,
    [{ path: 'slug', message: 'must have at most 200 characters' }],
  ]);
});
