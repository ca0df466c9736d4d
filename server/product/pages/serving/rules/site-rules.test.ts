import { describe, expect, test } from 'bun:test';
import { ENGLISH } from '../../../../../contract/rules/texts/fill.ts';
import { applyHeaders } from './headers.ts';
import { follow } from './redirects.ts';
import { readRules } from './site-rules.ts';

/** The rules in files with these contents. */
async function read(files: Record<string, string>) {
  const entries = Object.entries(files).map(
    ([path, text]) => [path, { hash: path, size: text.length, updatedAt: 0 }] as const,
  );
  const found = await readRules(new Map(entries), async (hash) => files[hash]);
  if (!found) throw new Error('there are no rules');
  return found;
}

const redirects = async (text: string) => (await read({ _redirects: text })).rules.redirects;
const readFaults = async (files: Record<string, string>) =>
  (await read(files)).faults.map(({ reason, ...place }) => ({
    ...place,
    message: ENGLISH.say(reason.text, reason.values),
  }));

test('a page without such files has no rules', async () => {
  expect(await readRules(undefined, async () => '')).toBeUndefined();
  expect(await readRules(new Map(), async () => '')).toBeUndefined();
});

describe('a redirect', () => {
  test.each([
    ['/old /new', 'old', { kind: 'redirect', status: 301, to: '/new' }],
    ['/old /new', 'old/', { kind: 'redirect', status: 301, to: '/new' }],
    ['/old /caf\u00e9 302', 'old', { kind: 'redirect', status: 302, to: '/caf%C3%A9' }],
    ['/old /new 302', 'old', { kind: 'redirect', status: 302, to: '/new' }],
    ['/old https://example.org/x 307', 'old', { kind: 'redirect', status: 307, to: 'https://example.org/x' }],
    ['/blog/* /news/:splat', 'blog/2024/a b', { kind: 'redirect', status: 301, to: '/news/2024/a%20b' }],
    ['/blog/* /news/:splat', 'blog', { kind: 'redirect', status: 301, to: '/news/' }],
    ['/u/:name/:post /p/:post?by=:name', 'u/ann/7', { kind: 'redirect', status: 301, to: '/p/7?by=ann' }],
    ['/* /index.html 200', 'a/b', { kind: 'rewrite', status: 200, path: 'index.html' }],
    ['/* /gone.html 404', 'a', { kind: 'rewrite', status: 404, path: 'gone.html' }],
    ['# comment\n\n/a /b\n/a /c', 'a', { kind: 'redirect', status: 301, to: '/b' }],
    [
      '/x/* https://evil.example/:splat',
      'x//\r\nset-cookie: a',
      expect.objectContaining({ to: 'https://evil.example//%0D%0Aset-cookie%3A%20a' }),
    ],
  ])('%j leads %j on', async (text, path, expected) => {
    expect(follow(await redirects(text), path, false)).toEqual(expected as never);
  });

  test.each([
    ['/old /new', 'other'],
    ['/old /new', 'old/more'],
    ['/old/* /new/:splat', `old/${'x'.repeat(1_000)}`],
    ['/old/* /new/:splat', `old${'/x'.repeat(50)}`],
    ['/old/:a /new', 'old'],
    ['/new /new', 'new'],
    ['/* /index.html', 'index.html'],
  ])('%j does not apply to %j', async (text, path) => {
    expect(follow(await redirects(text), path, false)).toBeUndefined();
  });

  test('comes after a file, unless it is forced', async () => {
    expect(follow(await redirects('/a /b'), 'a', true)).toBeUndefined();
    expect(follow(await redirects('/a /b 302!'), 'a', true)).toMatchObject({ to: '/b', status: 302 });
  });

  test.each([
    ['old /new', 'begin with a slash'],
    ['/old', 'where it leads'],
    ['/old new', 'a path that begins with a slash'],
    ['/old //evil.example', 'a path that begins with a slash'],
    ['/old javascript:alert(1)', 'a path that begins with a slash'],
    ['/old /new 500', 'The status must be one of'],
    [`/old/* /${':splat'.repeat(12)}`, 'placeholders'],
    [`/old /${'x'.repeat(2_000)}`, '2,000 characters'],
    ['/old /new 301 Country=de', 'Conditions'],
    ['/old id=:id /new', 'query parameters'],
    ['https://a.example/* /new', 'whole domains'],
    ['/a*b /new', 'the last part'],
    ['/*/b /new', 'the last part'],
    ['/api/* https://api.example/:splat 200', 'Another site cannot be shown'],
    ['/f/* /.netlify/functions/:splat 200', '/api/functions/'],
  ])('%j is refused', async (text, message) => {
    expect(await readFaults({ _redirects: `/fine /also\n${text}` })).toEqual([
      { file: '_redirects', line: 2, message: expect.stringContaining(message) },
    ]);
  });
});

describe('headers', () => {
  const apply = async (text: string, path: string, isOpen = true, isKept = true) => {
    const { rules } = await read({ _headers: text });
    const response = new Response(null, { headers: { etag: '"1"' } });
    applyHeaders(rules.headers, path, response, { isOpen, isKept });
    return Object.fromEntries(response.headers);
  };

  test('apply to the paths below which they stand', async () => {
    const text =
      '/*\n  X-All: yes\n/data/*\n  Cache-Control: public, max-age=60\n  Access-Control-Allow-Origin: *\n';
    expect(await apply(text, 'data/a.json')).toEqual({
      etag: '"1"',
      'x-all': 'yes',
      'cache-control': 'public, max-age=60',
      'access-control-allow-origin': '*',
    });
    expect(await apply(text, 'data/a.json', true, false)).not.toHaveProperty('cache-control');
    expect(await apply(text, 'other')).toEqual({ etag: '"1"', 'x-all': 'yes' });
    expect(await apply(text, 'data/a.json', false)).toEqual({ etag: '"1"', 'x-all': 'yes' });
  });

  test.each([
    'Content-Security-Policy: default-src *',
    'Content-Type: text/html',
    'Set-Cookie: a=1',
    'X-Frame-Options: DENY',
    'Cross-Origin-Opener-Policy: same-origin',
    'Strict-Transport-Security: max-age=1',
    'Service-Worker-Allowed: /',
    'Content-Encoding: gzip',
    'Location: /x',
    'X-Accel-Redirect: /etc/passwd',
    'X-Content-Type-Options: nosniff',
    'Clear-Site-Data: "*"',
    'Refresh: 0; url=/',
    'Access-Control-Allow-Origin: https://a.example',
    'Access-Control-Allow-Credentials: true',
    'X-Name: caf\u00e9',
    'no header at all',
  ])('%s is refused by name', async (line) => {
    expect(await readFaults({ _headers: `/*\n  ${line}` })).toEqual([
      { file: '_headers', line: 2, message: expect.any(String) },
    ]);
    expect(await apply(`/*\n  ${line}`, 'a')).toEqual({ etag: '"1"' });
  });

  test('without a path, or below one that cannot be read, are refused', async () => {
    expect(await readFaults({ _headers: '  X-A: 1\n/ok\n  X-B: 1\nbad\n  X-C: 1' })).toMatchObject([
      { line: 1 },
      { line: 4 },
      { line: 5 },
    ]);
  });
});

test('100 lines are applied, and one more is not', async () => {
  const lines = (count: number) => Array.from({ length: count }, (_, at) => `/a${at} /b`).join('\n');
  expect((await redirects(lines(100))).length).toBe(100);
  expect(await readFaults({ _redirects: lines(100) })).toEqual([]);
  const more = await read({ _redirects: lines(150) });
  expect(more.rules.redirects.length).toBe(100);
  expect(more.faults).toMatchObject([{ line: 101 }]);
});

test('a file of more than 64 KB is not read', async () => {
  const text = `/a /b\n#${'x'.repeat(64 * 1024)}`;
  expect(await readFaults({ _redirects: text })).toMatchObject([
    { line: 1, message: expect.stringContaining('64 KB') },
  ]);
  expect(await redirects(text)).toEqual([]);
});
