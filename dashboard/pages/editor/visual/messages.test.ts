import { expect, test } from 'bun:test';
import { toHref } from './card/address.ts';
import { placeCard } from './card/place.ts';
import { MAX_TYPED, readMessage } from './messages.ts';

/** The previewed document is hostile: what it says is checked and bounded. */

const pick = { kind: 'text', id: 3, index: 0, text: 'Hi' };

test.each<[what: string, data: unknown]>([
  ['nothing', undefined],
  ['null', null],
  ['a text', 'pick'],
  ['a list', [pick]],
  ['another word', { save: true }],
  ['no element', { pick: { kind: 'text', text: 'Hi' } }],
  ['an element that is not a number', { pick: { ...pick, id: '3' } }],
  ['an unknown kind', { pick: { ...pick, kind: 'script src' } }],
  ['a text that is not one', { pick: { ...pick, text: { length: 1 } } }],
  ['a text that is too long', { text: 'x'.repeat(MAX_TYPED + 1) }],
  ['an unknown end', { end: 'publish', text: 'x' }],
  ['an end without a text', { end: 'done' }],
])('ignores %s', (_, data) => {
  expect(readMessage(data)).toBeUndefined();
});

test('takes what is well formed, with numbers and colors in their bounds', () => {
  expect(readMessage({ text: 'x'.repeat(MAX_TYPED) })).toEqual({ kind: 'text', text: 'x'.repeat(MAX_TYPED) });
  expect(readMessage({ end: 'done', text: 'x', more: 1 })).toEqual({ kind: 'end', how: 'done', text: 'x' });
  const wide = { ...pick, rect: { x: 1e300, y: Number.NaN, width: 'wide' }, isTouch: 'yes', link: {} };
  expect(
    readMessage({ pick: { ...wide, color: 'rgb(1, 2, 3)', background: 'red;}*{x:url(//evil)' } }),
  ).toEqual({
    kind: 'pick',
    pick: {
      ...pick,
      kind: 'text',
      link: -1,
      rect: { x: -1, y: -1, width: -1, height: -1 },
      color: 'rgb(1, 2, 3)',
      background: '',
      backgroundOf: -1,
      fontSize: -1,
      isBold: false,
      isTouch: false,
      isKey: false,
      canType: false,
      isPre: false,
    },
  });
  expect(readMessage({ at: { kind: 'text', text: 'x'.repeat(999) } })).toEqual({
    kind: 'at',
    at: { kind: 'text', text: 'x'.repeat(200) },
  });
});

test.each([
  ['example.org', 'https://example.org'],
  ['example.org/menu?a=1', 'https://example.org/menu?a=1'],
  ['me@example.org', 'mailto:me@example.org'],
  ['https://example.org', 'https://example.org'],
  ['tel:+491234', 'tel:+491234'],
  ['/about', '/about'],
  ['#top', '#top'],
  ['about.html', 'about.html'],
  ['notes.md', 'notes.md'],
  [' ', ''],
])('takes %s for the address %s', (typed, expected) => {
  expect(toHref(typed, ['index.html', 'notes.md'])).toBe(expected);
});

test('a card is beside what it is about, and always in the window', () => {
  const card = { width: 300, height: 200 };
  const room = { width: 1000, height: 600 };
  const at = (x: number, y: number, width = 100, height = 40) =>
    placeCard({ x, y, width, height }, card, room);
  expect(at(50, 50)).toEqual({ left: 50, top: 104 });
  expect(at(950, 500)).toEqual({ left: 692, top: 286 });
  expect(at(100, 20, 300, 560)).toEqual({ left: 414, top: 20 });
  expect(at(400, 20, 590, 560)).toEqual({ left: 86, top: 20 });
  expect(at(0, 0, 1000, 600)).toEqual({ left: 692, top: 392 });
  expect(at(-900, -900)).toEqual({ left: 692, top: 392 });
});
