import { expect, test } from 'bun:test';
import { cleanMessage, cleanStack, toPageLocation } from './clean.ts';

const page = { slug: 'shop', baseUrl: 'https://quire.test', origins: ['https://p7.pages.quire.test'] };

test.each([
  ['https://quire.test/p/shop', ''],
  ['https://quire.test/p/shop/?token=secret#x', ''],
  ['https://quire.test/p/shop/js/app.js?v=2', 'js/app.js'],
  ['https://quire.test/p/shop/~a-secret-key/js/app.js', 'js/app.js'],
  ['https://quire.test/p/shop/~a-secret-key', ''],
  ['https://quire.test/p/shop/~preview/a-secret-token/js/app.js', 'js/app.js'],
  ['https://p7.pages.quire.test/~preview/a-secret-token/', ''],
  ['https://p7.pages.quire.test/', ''],
  ['https://p7.pages.quire.test/about.html', 'about.html'],
  ['https://cdn.example/lib.js?key=secret', 'https://cdn.example/lib.js'],
  ['https://user:password@cdn.example/lib.js', 'https://cdn.example/lib.js'],
  ['https://quire.test/p/shopping', 'https://quire.test/p/shopping'],
  ['about:srcdoc', ''],
  ['data:text/javascript,throw', 'data:'],
  ['not an address', ''],
])('%s is %p', (address, place) => {
  expect(toPageLocation(address, page)).toBe(place);
});

test('addresses in a stack become places, without queries and keys', () => {
  const stack = [
    'TypeError: x is not a function',
    '    at buy (https://quire.test/p/shop/~key/js/app.js?session=secret:3:14)',
    '    at https://quire.test/p/shop/?password=secret:12:5',
    'run@https://cdn.example/lib.js?key=secret:1:9000',
  ].join('\n');
  expect(cleanStack(stack, page)).toBe(
    [
      'TypeError: x is not a function',
      '    at buy (js/app.js:3:14)',
      '    at page:12:5',
      'run@https://cdn.example/lib.js:1:9000',
    ].join('\n'),
  );
});

test('a message is cut, and every database can store it', () => {
  expect(cleanMessage(`${'a'.repeat(499)}bc`, page)).toBe(`${'a'.repeat(499)}b`);
  expect(cleanMessage('\0 \ud800', page)).toBe('\ufffd \ufffd');
});
