import { expect, test } from 'bun:test';
import { isBot } from './bots.ts';
import { isSameHost, ReferrerHosts, referrerHost } from './referrers.ts';

test.each([
  ['https://www.example.com/search?q=secret#part', 'example.com'],
  ['https://EXAMPLE.com:8443', 'example.com'],
  ['http://news.example.org/a/b', 'news.example.org'],
  ['http://wiki/', 'wiki'],
  ['https://bücher.example/', 'xn--bcher-kva.example'],
  ['https://192.0.2.7/', '192.0.2.7'],
])('%s is a visit from %s', (header, host) => {
  expect(referrerHost(header)).toBe(host);
  const hosts = new ReferrerHosts();
  expect([hosts.of(header), hosts.of(header)]).toEqual([host, host]);
});

test.each([
  null,
  '',
  'about:blank',
  'android-app://com.example.app/',
  'https://',
  'https://user:password@example.com/',
  'https://exa mple.com/',
  'https://<script>alert(1)</script>/',
  'https://example.com\u0000/',
  `https://${'a'.repeat(101)}/`,
  `https://example.com/${'a'.repeat(3_000)}`,
  'javascript:alert(1)',
])('%s is not a referrer', (header) => {
  expect(referrerHost(header)).toBeUndefined();
  const hosts = new ReferrerHosts();
  expect([hosts.of(header ?? ''), hosts.of(header ?? '')]).toEqual([undefined, undefined]);
});

test('more hosts than are remembered are still read', () => {
  const hosts = new ReferrerHosts();
  for (let i = 0; i < 1_200; i++) expect(hosts.of(`https://h${i}.example/a`)).toBe(`h${i}.example`);
  expect([hosts.of('https://h0.example?q=https://other/'), hosts.of('https://h0.example/b')]).toEqual([
    'h0.example',
    'h0.example',
  ]);
});

test('a host of 100 characters is one', () => {
  const host = `${'a'.repeat(92)}.example`;
  expect(referrerHost(`https://${host}/`)).toBe(host);
});

test.each([
  ['example.com', true],
  ['www.example.com:8443', true],
  ['example.com.evil.example', false],
  ['not-example.com', false],
  [null, false],
])('a Host header %s is that of example.com: %p', (header, expected) => {
  expect(isSameHost(header, 'example.com')).toBe(expected);
});

test('a Host header of 300 characters is read, and a longer one is not', () => {
  const start = 'www.example.com:';
  expect(isSameHost(start.padEnd(300, '0'), 'example.com')).toBe(true);
  expect(isSameHost(start.padEnd(301, '0'), 'example.com')).toBe(false);
});

const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';

test.each([
  [FIREFOX, false],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1',
    false,
  ],
  ['Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)', true],
  ['curl/8.5.0', true],
  ['Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 HeadlessChrome/142.0.0.0 Safari/537.36', true],
  ['', true],
  [FIREFOX + 'x'.repeat(600), true],
])('%s: a program is %p', (userAgent, expected) => {
  expect(isBot(userAgent)).toBe(expected);
});
