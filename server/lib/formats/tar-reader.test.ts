import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { tar } from '../../../test/support/tar.ts';
import { readTar, TarError } from './tar-reader.ts';

const read = (archive: Buffer, most = 10) =>
  [...readTar(archive, most)].map(({ path, bytes }) => [path, Buffer.from(bytes).toString()]);
const entry = (path: string, content = 'x') => ({ path, content });

test('reads files in their order, without folders', () => {
  const archive = tar([
    entry('a/b.js', 'one'),
    { path: 'c/', type: '5' },
    entry('./d.js', ''),
    entry('package/./dist/f.js', 'f'),
    entry('e', 'x'.repeat(513)),
  ]);
  expect(read(archive)).toEqual([
    ['a/b.js', 'one'],
    ['d.js', ''],
    ['package/dist/f.js', 'f'],
    ['e', 'x'.repeat(513)],
  ]);
});

test('reads long names, in both ways to write them', () => {
  const long = `package/${'n'.repeat(200)}.js`;
  const record = ` path=${long}\n`;
  const pax = `${record.length + 3}${record}`;
  expect(read(tar([{ path: 'x', type: 'x', content: pax }, entry('short')]))).toEqual([[long, 'x']]);
  expect(read(tar([{ path: 'x', type: 'L', content: `${long}\0` }, entry('short')]))).toEqual([[long, 'x']]);
});

test.each(['../a', 'a/../b', '/a', 'a//b', '.', './..', 'a\\b'])('refuses the path %s', (path) => {
  expect(() => read(tar([entry(path)]))).toThrow(TarError);
});

test('has at most as many entries as are allowed', () => {
  const archive = tar([entry('a'), entry('b'), entry('c')]);
  expect(read(archive, 3)).toHaveLength(3);
  expect(() => read(archive, 2)).toThrow('has more than 2 files');
});

test('refuses a header whose sum is wrong, and a size past the end', () => {
  const archive = tar([entry('a')]);
  archive[0] = 0x62;
  expect(() => read(archive)).toThrow('is damaged');
  expect(() => read(tar([{ ...entry('a'), size: 100_000 }]))).toThrow('is damaged');
});

test('ends with any bytes, and throws nothing else', () => {
  const sound = tar([entry('a/b.js', 'one'), entry('c', 'two')]);
  fc.assert(
    fc.property(fc.nat(sound.length - 1), fc.nat(255), fc.nat(sound.length), (at, byte, length) => {
      const damaged = Buffer.from(sound);
      damaged[at] = byte;
      try {
        read(damaged.subarray(0, length));
      } catch (error) {
        expect(error).toBeInstanceOf(TarError);
      }
    }),
  );
});
