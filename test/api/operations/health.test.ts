import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type TestApp, testApp } from '../../support/app.ts';

let quire: TestApp;
let slug: string;
beforeAll(async () => {
  quire = await testApp();
  ({ slug } = await (await quire.user()).publish());
});
afterAll(() => quire.stop());

describe('a serving node', () => {
  test('is alive, ready and healthy', async () => {
    expect((await quire.call('GET', '/livez')).body).toEqual({ status: 'alive' });
    expect((await quire.call('GET', '/readyz')).body).toEqual({
      status: 'ready',
      degraded: [],
      freeBytes: expect.any(Number),
      lastBackup: null,
      delayedSchedules: 0,
      clockDifferenceSeconds: expect.any(Number),
    });
    expect((await quire.call('GET', '/healthz')).body.status).toBe('ok');
  });

  test('keeps connections alive', async () => {
    for (const path of ['/livez', `/p/${slug}`, '/healthz'])
      expect((await quire.request(path)).headers.get('connection')).toBeNull();
  });

  test('does not log the requests of health checks', async () => {
    const before = quire.logs.length;
    await quire.request('/livez');
    await quire.request('/readyz', { method: 'HEAD' });
    expect(quire.logs.slice(before)).toEqual([]);
  });

  test("reveals nothing about itself on a page's own host", async () => {
    for (const path of ['/livez', '/readyz'])
      expect((await quire.request(`http://p1.pages.localhost:3000${path}`)).status).toBe(404);
  });

  test('allows only GET and HEAD', async () => {
    expect((await quire.request('/readyz', { method: 'POST' })).status).toBe(405);
  });
});

describe('a draining node', () => {
  beforeAll(() => quire.app.drain());

  test('is alive, but no longer ready', async () => {
    expect((await quire.request('/livez')).status).toBe(200);
    const ready = await quire.call('GET', '/readyz');
    expect([ready.status, ready.body]).toEqual([503, { status: 'draining' }]);
  });

  test.each([
    ['pages', 'GET', () => `/p/${slug}`],
    ['the API', 'GET', () => '/api/functions'],
    ['calls of functions', 'POST', () => '/api/functions/nowhere'],
    ['health checks', 'GET', () => '/healthz'],
    ['screens', 'GET', () => '/login'],
    ['unknown paths', 'GET', () => '/nowhere'],
  ])('answers %s as usual, and closes the connection', async (_, method, path) => {
    const response = await quire.request(path(), { method });
    expect(response.status).toBeLessThan(500);
    expect(response.headers.get('connection')).toBe('close');
  });
});
