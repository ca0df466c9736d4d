import { describe, expect, test } from 'bun:test';
import { isEqual, mergeFields } from './fields.ts';
import { mergeLines } from './lines.ts';

const BASE = 'one\ntwo\nthree\nfour\nfive\n';

describe('texts by line', () => {
  test.each([
    ['only one side', 'ONE\ntwo\nthree\nfour\nfive\n', BASE, 'ONE\ntwo\nthree\nfour\nfive\n'],
    [
      'different lines',
      'ONE\ntwo\nthree\nfour\nfive\n',
      'one\ntwo\nthree\nfour\nFIVE\n',
      'ONE\ntwo\nthree\nfour\nFIVE\n',
    ],
    ['the same change', 'one\nthree\nfour\nfive\n', 'one\nthree\nfour\nfive\n', 'one\nthree\nfour\nfive\n'],
    [
      'added and removed',
      'zero\none\ntwo\nthree\nfour\nfive\n',
      'one\ntwo\nthree\nfour\n',
      'zero\none\ntwo\nthree\nfour\n',
    ],
    [
      'no line break at the end',
      'one!\ntwo\nthree\nfour\nfive\n',
      'one\ntwo\nthree\nfour\nfive',
      'one!\ntwo\nthree\nfour\nfive',
    ],
  ])('merges %s', async (_, one, other, expected) => {
    expect(await mergeLines(BASE, one, other)).toEqual({ text: expected });
    expect(await mergeLines(BASE, other, one)).toEqual({ text: expected });
  });

  test.each([
    ['the same line', 'one\nTWO\nthree\nfour\nfive\n', 'one\n2\nthree\nfour\nfive\n', 1],
    ['lines next to each other', 'one\nTWO\nthree\nfour\nfive\n', 'one\ntwo\nTHREE\nfour\nfive\n', 1],
    ['a line that the other removed', 'one\nTWO\nthree\nfour\nfive\n', 'one\nthree\nfour\nfive\n', 1],
    ['additions at the same place', `${BASE}six\n`, `${BASE}SIX\n`, 1],
    ['two places', 'A\ntwo\nthree\nfour\nB\n', 'C\ntwo\nthree\nfour\nD\n', 2],
  ])('names conflicts in %s', async (_, one, other, conflicts) => {
    expect(await mergeLines(BASE, one, other)).toEqual({ conflicts });
  });

  test('what one side changes in random texts is in the result, and so is what the other does', async () => {
    for (let round = 0; round < 200; round++) {
      const lines = Array.from({ length: 40 }, (_, at) => `${at % 7} ${at}\n`);
      const [one, other] = [[...lines], [...lines]];
      const at = Math.floor(Math.random() * 15);
      one[at] = `branch ${round}\n`;
      other.splice(at + 5 + Math.floor(Math.random() * 15), 1 + (round % 3), `main ${round}\n`);
      const expected = [...other];
      expected[at] = `branch ${round}\n`;
      expect(await mergeLines(lines.join(''), one.join(''), other.join(''))).toEqual({
        text: expected.join(''),
      });
    }
  });

  test('a text with very many lines is not compared by line, and hostile ones do not take long', async () => {
    const long = 'x\n'.repeat(60_000);
    expect(await mergeLines(long, `${long}a`, `${long}b`)).toBeUndefined();
    const random = () => Array.from({ length: 20_000 }, () => `${Math.floor(Math.random() * 50)}\n`).join('');
    expect(await mergeLines(random(), random(), random())).toHaveProperty('conflicts');
  });
});

describe('objects by field', () => {
  test('merges fields that only one side changed, and names those that both did', () => {
    const base = { a: 1, b: 1, c: 1, d: 1, gone: 1 };
    const branch = { a: 2, b: 1, c: 2, d: 3, added: 1 };
    const main = { a: 1, b: 2, c: 2, d: 4, gone: 1 };
    const { changes, merged } = mergeFields(base, branch, main);
    expect(merged).toEqual({ a: 2, b: 2, c: 2, d: 4, added: 1 });
    expect(changes).toEqual([
      { name: 'a', action: 'changed', side: 'branch', conflict: false },
      { name: 'b', action: 'changed', side: 'main', conflict: false },
      { name: 'd', action: 'changed', side: 'both', conflict: true },
      { name: 'gone', action: 'deleted', side: 'branch', conflict: false },
      { name: 'added', action: 'added', side: 'branch', conflict: false },
    ]);
  });

  test('goes down to a depth, and takes lists as a whole', () => {
    const base = { fields: { title: { type: 'string', max: 5 } }, search: ['title'] };
    const branch = { fields: { title: { type: 'string', max: 9 } }, search: ['title', 'text'] };
    const main = { fields: { title: { type: 'string', max: 5 }, text: { type: 'string' } }, search: [] };
    const { changes, merged } = mergeFields(base, branch, main, 2);
    expect(merged).toEqual({
      fields: { title: { type: 'string', max: 9 }, text: { type: 'string' } },
      search: [],
    });
    expect(changes.map(({ name, side }) => `${name} ${side}`)).toEqual([
      'fields.title branch',
      'fields.text main',
      'search both',
    ]);
  });

  test('is equal whatever the order of fields', () => {
    expect(isEqual({ a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 })).toBe(true);
    expect(isEqual({ a: undefined }, { b: undefined })).toBe(false);
    expect(isEqual([1, 2], [2, 1])).toBe(false);
  });
});
