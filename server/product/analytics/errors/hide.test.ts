import { expect, test } from 'bun:test';
import { authorTexts, hideBody, hidePath, hideSteps } from './hide.ts';

const SOURCE = 'index.html\nabout us.html\ndocs/über.html\n<button>Buy</button> <label>Name</label> 1234567';

test('only a few different texts of a report are looked for, and all others are hidden', () => {
  const known = authorTexts(SOURCE);
  const texts = Array.from({ length: 39 }, (_, index) => `t${index}`);
  const hidden = (more: string[]) => JSON.parse(hideBody(JSON.stringify([...texts, ...more]), known) ?? '');
  expect(hidden(['Buy', 'Buy', 'Name', 'Buy']).slice(-4)).toEqual(['Buy', 'Buy', 'Xxxx', 'Buy']);
  expect(hideSteps([{ type: { name: 'Name', text: 'Name' } }], known)).toEqual([{ type: { text: 'Xxxx' } }]);
});

test.each([
  ['', ''],
  ['about.html', 'about.html'],
  ['about%20us.html', 'about%20us.html'],
  ['docs/%C3%BCber.html', 'docs/%C3%BCber.html'],
  ['orders/4711/alice@mail.test', 'xxxxxx/1111/xxxxx%40xxxx.xxxx'],
  ['reset/%zzToken7', 'xxxxx/%25xxXxxxx1'],
])('the path %p is kept as %p', (path, kept) => {
  expect(hidePath(path, authorTexts(`${SOURCE} about.html`))).toBe(kept);
});

test('numbers that can be those of phones and cards are hidden', () => {
  const body = { age: 7, cents: -12345, phone: 4917112345, price: 1234.567, id: 1234567 };
  const hidden = hideBody(JSON.stringify(body), authorTexts(`${SOURCE} age cents phone price id`));
  expect(JSON.parse(hidden ?? '')).toEqual({ ...body, phone: 1111111111, price: 1111.111 });
});
