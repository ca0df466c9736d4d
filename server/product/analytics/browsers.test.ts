import { expect, test } from 'bun:test';
import { Browsers, findDevice, visitorHash } from './browsers.ts';

test.each([
  ['Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0', 'desktop'],
  [
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.1 Safari/605.1.15',
    'desktop',
  ],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148', 'phone'],
  ['Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/142.0 Mobile Safari/537.36', 'phone'],
  ['Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 Chrome/142.0 Safari/537.36', 'tablet'],
  ['Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148', 'tablet'],
  ['something else', 'desktop'],
] as const)('%s is a %s', (userAgent, device) => {
  expect(findDevice(userAgent)).toBe(device);
});

test('a visitor has the same hash all day, and another one with another salt, address or browser', () => {
  const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0';
  const hash = (browsers: Browsers, userAgent: string, address: string) =>
    visitorHash(browsers.find(userAgent)?.seed ?? 0, address);
  const browsers = new Browsers(0, 'salt');
  const first = hash(browsers, FIREFOX, '10.0.0.1');
  // More user agents than are kept.
  for (let i = 0; i < 2_000; i++) expect(hash(browsers, `${FIREFOX} ${i}`, '10.0.0.1')).not.toBe(first);
  expect(hash(browsers, FIREFOX, '10.0.0.1')).toBe(first);
  expect(hash(browsers, FIREFOX, '10.0.0.2')).not.toBe(first);
  expect(hash(new Browsers(0, 'other'), FIREFOX, '10.0.0.1')).not.toBe(first);
  expect([browsers.find('curl/8.5.0'), browsers.find('curl/8.5.0')]).toEqual([null, null]);
});
