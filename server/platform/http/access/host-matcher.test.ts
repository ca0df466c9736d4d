import { expect, test } from 'bun:test';
import { createHostMatcher } from './host-matcher.ts';

function matchId(host: string, pagesHost = 'pages.example.com:8080'): number | undefined {
  const url = `http://${host}/p/p7.pages.example.com:8080`;
  return createHostMatcher('p', pagesHost)(url, 'http://'.length, `http://${host}`.length);
}

test.each([
  ['p1.pages.example.com:8080', 1],
  ['p1203.pages.example.com:8080', 1203],
  ['p999999999999999.pages.example.com:8080', 999_999_999_999_999],
  [`p${Number.MAX_SAFE_INTEGER}.pages.example.com:8080`, Number.MAX_SAFE_INTEGER],
  // Hosts that are written in another way.
  ['P12.Pages.Example.com:8080', 12],
  ['p12.pages.example.com', 12],
  ['p12.pages.example.com.', 12],
  ['p12.pages.example.com.:443', 12],
])('%s is the host of %d', (host, id) => {
  expect(matchId(host)).toBe(id);
});

test.each([
  'p.pages.example.com:8080',
  'p0.pages.example.com:8080',
  'p01.pages.example.com:8080',
  'p-1.pages.example.com:8080',
  'p1x.pages.example.com:8080',
  'p1:pages.example.com:8080',
  'p1.pages.example.org:8080',
  'p1.xpages.example.com:8080',
  'p1.x.pages.example.com:8080',
  'p9007199254740993.pages.example.com:8080',
  'p12345678901234567.pages.example.com:8080',
  'pages.example.com:8080',
  '.pages.example.com:8080',
  'p',
])('%s is not the host of a page', (host) => {
  expect(matchId(host)).toBeUndefined();
});

test('without a host for pages, none belongs to a page', () => {
  const url = 'http://p1.pages.example.com/';
  expect(createHostMatcher('p', undefined)(url, 7, url.length - 1)).toBeUndefined();
});
