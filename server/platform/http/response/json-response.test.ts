import { describe, expect, test } from 'bun:test';
import { gunzipSync } from 'node:zlib';
import { holdsSecrets, jsonText, sendJson } from './json-response.ts';

describe('a JSON response', () => {
  // The quotes make the JSON of a string two characters longer.
  test.each([
    ['of 1,024 characters', 1_022, null],
    ['of 1,025 characters', 1_023, 'gzip'],
    ['compressed on a thread', 300_000, 'gzip'],
  ])('%s has the encoding %p', async (_, length, encoding) => {
    for (const value of ['a'.repeat(length), jsonText(JSON.stringify('a'.repeat(length)))]) {
      const response = await sendJson(201, value, 'gzip');
      expect([response.status, response.headers.get('content-encoding')]).toEqual([201, encoding]);
      const bytes = Buffer.from(await response.arrayBuffer());
      const text = encoding ? gunzipSync(bytes).toString() : bytes.toString();
      expect(JSON.parse(text)).toBe('a'.repeat(length));
    }
  });

  test('of undefined has no body', async () => {
    const response = await sendJson(204, undefined, 'gzip');
    expect([response.status, response.body]).toEqual([204, null]);
  });

  test('has the status of its text', async () => {
    expect((await sendJson(200, jsonText('{}', 400), null)).status).toBe(400);
  });
});

test.each([
  ['/api/auth/token', true],
  ['/api/auth/register', true],
  ['/api/auth/token/refresh', true],
  ['/api/auth/tokens', true],
  ['/api/auth/session-token', true],
  ['/api/pages/:id/page-session', true],
  ['/api/pages/:id/team/invite', true],
  ['/api/join/:code', true],
  ['/api/pages', false],
  ['/api/pages/:id/team', false],
  ['/api/functions', false],
  ['/mcp', false],
])('%s has a secret in its response: %p', (path, isSecret) => {
  expect(holdsSecrets(path)).toBe(isSecret);
});
