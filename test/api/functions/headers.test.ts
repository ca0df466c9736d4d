import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type FunctionApp, functionApp } from '../../support/functions/app.ts';

/** Responds with the status and headers that the call names. */
const ANSWERS = `export default { async fetch(request) {
  const { status = 200, headers, body = 'x' } = await request.json();
  return new Response(body, { status, headers });
} };`;

let app: FunctionApp;
let slug: string;
let workerUrl: string;
beforeAll(async () => {
  app = await functionApp();
  slug = await app.deploy(ANSWERS);
  workerUrl = (await app.quire.call('GET', `/api/functions/${slug}`)).body.workerUrl;
});
afterAll(() => app.quire.stop());

const places = {
  'at the API': () => `/api/functions/${slug}`,
  'at workerUrl': () => workerUrl,
};
type HeaderPlace = keyof typeof places;

async function answered(place: HeaderPlace, headers: Record<string, string>, status = 200): Promise<Headers> {
  const body = JSON.stringify({ headers, status });
  const response = await app.quire.request(places[place](), { method: 'POST', body });
  expect([response.status, await response.text()]).toEqual([status, 'x']);
  return response.headers;
}

const PASS = {
  'cache-control': 'max-age=60',
  'content-disposition': 'attachment; filename="a.csv"',
  'content-language': 'de',
  'content-type': 'text/csv; charset=utf-8',
  etag: '"abc"',
  'last-modified': 'Sun, 15 Nov 2026 20:00:00 GMT',
  link: '<https://example.com/2>; rel="next"',
  'retry-after': '5',
  vary: 'accept-language',
  'x-own': '1',
  'x-ratelimit-limit': '9',
  'x-robots-tag': 'noindex',
};

/** Headers that name a file or address for a proxy to send, or control a browser or cache. */
const DROPPED = [
  ...['x-accel-redirect', 'x-accel-buffering', 'x-accel-charset', 'x-accel-expires', 'x-accel-limit-rate'],
  ...['x-sendfile', 'x-sendfile-type', 'x-lighttpd-send-file', 'x-litespeed-location', 'x-litespeed-cache'],
  ...['x-reproxy-url', 'x-reproxy-file', 'x-envoy-immediate-health-check-fail', 'x-appengine-blobkey'],
  ...['x-forwarded-for', 'x-forwarded-host', 'x-real-ip', 'x-original-url', 'x-rewrite-url'],
  ...['x-http-method-override', 'x-ua-compatible', 'x-xss-protection', 'x-permitted-cross-domain-policies'],
  ...['x-page-session', 'x-quire-threw-not', 'set-cookie', 'set-cookie2', 'clear-site-data', 'refresh'],
  ...['accept-ch', 'critical-ch', 'use-as-dictionary', 'alt-svc', 'strict-transport-security', 'nel'],
  ...['report-to', 'reporting-endpoints', 'service-worker-allowed', 'speculation-rules', 'sourcemap'],
  ...['origin-agent-cluster', 'www-authenticate', 'proxy-authenticate', 'surrogate-control', 'xkey'],
  ...['cdn-cache-control', 'edge-control', 'status', 'upgrade', 'trailer', 'age', 'via', 'warning'],
];

describe.each(Object.keys(places) as HeaderPlace[])("a function's answer %s", (place) => {
  test('keeps the headers that describe it', async () => {
    const headers = await answered(place, PASS);
    expect(Object.fromEntries(Object.keys(PASS).map((name) => [name, headers.get(name)]))).toEqual(PASS);
  });

  test('drops every header that controls a proxy or a browser', async () => {
    const headers = await answered(
      place,
      Object.fromEntries(DROPPED.map((name) => [name, 'quire-test-value'])),
    );
    for (const [name, value] of headers) expect([name, value]).not.toEqual([name, 'quire-test-value']);
  });

  test.each([201, 300, 301, 302, 303, 307, 308])('keeps location with status %d', async (status) => {
    expect((await answered(place, { location: '/there' }, status)).get('location')).toBe('/there');
  });

  test.each([200, 202, 400, 404, 500])('drops location with status %d', async (status) => {
    expect((await answered(place, { location: '/there' }, status)).get('location')).toBeNull();
  });

  test.each([
    'multipart/x-mixed-replace; boundary=a',
    'Multipart/X-Mixed-Replace;boundary=a',
    ' multipart/x-mixed-replace',
    'text/plain, multipart/x-mixed-replace; boundary=a',
  ])('of the type "%s" becomes application/octet-stream', async (type) => {
    expect((await answered(place, { 'content-type': type })).get('content-type')).toBe(
      'application/octet-stream',
    );
  });

  test('has our request id, whatever the function sets', async () => {
    const id = (await answered(place, { 'x-request-id': 'mine' })).get('x-request-id');
    expect(id).not.toBe('mine');
    expect(id).toBeString();
  });

  test('can be decompressed, small or large', async () => {
    for (const size of [10, 2_000_000]) {
      const body = JSON.stringify({ headers: { 'content-encoding': 'gzip' }, body: 'y'.repeat(size) });
      const response = await app.quire.request(places[place](), {
        method: 'POST',
        body,
        headers: { 'accept-encoding': 'gzip' },
      });
      expect(response.headers.get('content-encoding')).toBe('gzip');
      expect(Bun.gunzipSync(new Uint8Array(await response.arrayBuffer())).length).toBe(size);
    }
  });
});

test('at workerUrl, a function decides who can read and frame it', async () => {
  const own = {
    'access-control-allow-origin': 'https://example.com',
    'access-control-allow-credentials': 'true',
    'content-security-policy': "default-src 'self'",
    'cross-origin-resource-policy': 'cross-origin',
    'x-frame-options': 'DENY',
    allow: 'GET, POST',
  };
  const headers = await answered('at workerUrl', own);
  expect(Object.fromEntries(Object.keys(own).map((name) => [name, headers.get(name)]))).toEqual(own);
});

test('at the API, anyone can read it, sandboxed, whatever the function sets', async () => {
  const headers = await answered('at the API', {
    'access-control-allow-origin': 'https://example.com',
    'access-control-allow-credentials': 'true',
    'content-security-policy': 'default-src *',
    'x-content-type-options': 'off',
    'x-frame-options': 'DENY',
  });
  expect([
    headers.get('access-control-allow-origin'),
    headers.get('access-control-allow-credentials'),
    headers.get('content-security-policy'),
    headers.get('x-content-type-options'),
    headers.get('x-frame-options'),
  ]).toEqual(['*', null, 'sandbox', 'nosniff', null]);
});
