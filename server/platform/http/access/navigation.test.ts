import { expect, test } from 'bun:test';
import { isNavigation } from './navigation.ts';

test.each([
  [{ 'sec-fetch-mode': 'navigate' }, true],
  [{ 'sec-fetch-mode': 'cors', 'upgrade-insecure-requests': '1' }, false],
  [{ 'sec-fetch-mode': 'no-cors' }, false],
  [{ 'upgrade-insecure-requests': '1', accept: 'text/html' }, true],
  [{ accept: 'text/html' }, false],
  [{}, false],
])('%o is a navigation: %p', (headers, expected) => {
  expect(isNavigation(new Headers(headers as unknown as Record<string, string>))).toBe(expected);
});
