import { beforeAll, describe, expect, test } from 'bun:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { STORAGE_MODES } from '../../../../contract/rules/storage-modes.ts';
import { buildSdk, type Sdk } from './sdk-bundle.ts';

const MAX_GZIPPED_BYTES = 9.25 * 1024;
const GLOBALS = { solo_app: 'SoloData', team_app: 'TeamData', social_app: 'SocialData' };

let sdk: Sdk;
beforeAll(async () => {
  sdk = await buildSdk();
});

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await sdk.respond(new Request(`http://localhost${path}`, { headers }), path);
  if (!response) throw new Error(`nothing at ${path}`);
  return { response, bytes: Buffer.from(await response.arrayBuffer()) };
}

describe.each([...STORAGE_MODES])('the bundle of %s', (mode) => {
  test('is small', async () => {
    const { response, bytes } = await get(sdk.findPath(mode), { 'accept-encoding': 'gzip' });
    expect(response.headers.get('content-encoding')).toBe('gzip');
    expect(bytes.length).toBeLessThan(MAX_GZIPPED_BYTES);
  });

  test('is the same in every encoding', async () => {
    const plain = await get(sdk.findPath(mode));
    expect(plain.response.headers.get('content-encoding')).toBeNull();
    const gzipped = await get(sdk.findPath(mode), { 'accept-encoding': 'gzip;q=0.5, br;q=0' });
    expect(gunzipSync(gzipped.bytes).equals(plain.bytes)).toBe(true);
    const brotlied = await get(sdk.findPath(mode), { 'accept-encoding': 'gzip, br' });
    expect(brotliDecompressSync(brotlied.bytes).equals(plain.bytes)).toBe(true);
  });

  test('has only the global of its mode', async () => {
    const code = (await get(sdk.findPath(mode))).bytes.toString();
    const named = Object.entries(GLOBALS).filter(([, name]) => code.includes(name));
    expect(named.map(([each]) => each)).toEqual(mode === 'page' ? [] : [mode]);
  });
});

test('every mode has its own URL, derived from the content', () => {
  const paths = STORAGE_MODES.map((mode) => sdk.findPath(mode));
  expect(new Set(paths).size).toBe(STORAGE_MODES.length);
  for (const path of paths) expect(path).toMatch(/^\/sdk\/[\w-]{16}\.js$/);
});

test('the types can be read, and are cached', async () => {
  const { response, bytes } = await get('/sdk/quire.d.ts');
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  expect(bytes.toString()).toContain('declare const TeamData: Quire.TeamData');
  const etag = response.headers.get('etag') ?? '';
  expect((await get('/sdk/quire.d.ts', { 'if-none-match': etag })).response.status).toBe(304);
});

test('the tools for a browser with an agent are a small file of their own', async () => {
  const { response, bytes } = await get('/sdk/agent-tools.js', { 'accept-encoding': 'gzip' });
  expect(response.headers.get('content-type')).toBe('text/javascript; charset=utf-8');
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(bytes.length).toBeLessThan(1024);
});

test('what reloads a page in the tab of quire dev is a small file of its own', async () => {
  const { response, bytes } = await get('/sdk/reload.js', { 'accept-encoding': 'gzip' });
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(bytes.length).toBeLessThan(1536);
});

test('what reports errors of the page is a small file of its own', async () => {
  const { response, bytes } = await get('/sdk/errors.js', { 'accept-encoding': 'gzip' });
  expect(response.headers.get('cache-control')).toBe('no-cache');
  expect(bytes.length).toBeLessThan(1024);
});

test('no bundle can be a service worker, and other paths do not exist', async () => {
  const { response } = await get(sdk.findPath('page'), { 'service-worker': 'script' });
  expect(response.status).toBe(403);
  expect(sdk.respond(new Request('http://localhost/sdk/'), '/sdk/')).toBeUndefined();
});
