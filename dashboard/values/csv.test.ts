import { expect, test } from 'bun:test';
import { parseCsv, writeCsv } from './csv.ts';

const parseCells = (text: string) => parseCsv(text).map(({ cells }) => cells);

test('writes cells quoted where needed, and no formulas', () => {
  const row = ['a "b", c', -3, '=1+1', '-x', '+x', '@x', '\tx', null, ['x'], { a: 1 }, true, 'two\nlines'];
  expect(writeCsv([row])).toBe(
    `"a ""b"", c",-3,'=1+1,'-x,'+x,'@x,'\tx,,"[""x""]","{""a"":1}",true,"two\nlines"\r\n`,
  );
});

test.each([
  [
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a;b\n1;2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a\tb\n1,5\t2',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  ['\uFEFFname\nAda', [['name'], ['Ada']]],
  [
    'a,b\n"x, ""y""\nz",',
    [
      ['a', 'b'],
      ['x, "y"\nz', ''],
    ],
  ],
  ['a\n\n\nb\n', [['a'], ['b']]],
  [
    'a,b\n,',
    [
      ['a', 'b'],
      ['', ''],
    ],
  ],
  ['a\n"never closed, \n', [['a'], ['never closed, \n']]],
  ['a\n"x"y', [['a'], ['xy']]],
  ['', []],
])('reads %j', (text, cells) => {
  expect(parseCells(text)).toEqual(cells);
});

test('says on which line a row starts', () => {
  expect(parseCsv('a\n"1\n2"\n\n3').map(({ line }) => line)).toEqual([1, 2, 5]);
});

test('reads what it writes', () => {
  const rows = [
    ['a', 'b'],
    ['x,"y"', 'z\r\nw'],
  ];
  expect(parseCells(writeCsv(rows))).toEqual(rows);
});

test('reads a long file in linear time', () => {
  const count = (text: string) => parseCsv(text).length;
  expect(count('a,b\n'.repeat(200_000))).toBe(200_000);
  expect(count(`"${'""'.repeat(500_000)}`)).toBe(1);
  expect(parseCsv(','.repeat(200_000))[0]?.cells.length).toBe(200_001);
});
