import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { tar } from '../../../test/support/tar.ts';
import { readTar, TarError } from './tar-reader.ts';

/** The archive as it may arrive: in pieces of a few bytes. */
async function* inPieces(archive: Buffer, length: number) {
  for (let at = 0; at < archive.length; at += length) yield archive.subarray(at, at + length);
}

async function read(archive: Buffer, most = 10, pieces = 700) {
  const found: [path: string, content: string][] = [];
  for await (const entry of readTar(inPieces(archive, pieces), most))
    found.push([entry.path, (await entry.read()).toString()]);
  return found;
}
const entry = (path: string, content = 'x') => ({ path, content });

test.each([1, 100, 512, 10_000])(
  'reads files in their order, without folders, in pieces of %d bytes',
  async (pieces) => {
    const archive = tar([
      entry('a/b.js', 'one'),
      { path: 'c/', type: '5' },
      entry('./d.js', ''),
      entry('package/./dist/f.js', 'f'),
      entry('e', 'x'.repeat(513)),
    ]);
    expect(await read(archive, 10, pieces)).toEqual([
      ['a/b.js', 'one'],
      ['d.js', ''],
      ['package/dist/f.js', 'f'],
      ['e', 'x'.repeat(513)],
    ]);
  },
);

test('reads long names, in both ways to write them', async () => {
  const long = `package/${'n'.repeat(200)}.js`;
  const record = ` path=${long}\n`;
  const pax = `${record.length + 3}${record}`;
  expect(await read(tar([{ path: 'x', type: 'x', content: pax }, entry('short')]))).toEqual([[long, 'x']]);
  expect(await read(tar([{ path: 'x', type: 'L', content: `${long}\0` }, entry('short')]))).toEqual([
    [long, 'x'],
  ]);
});

test.each(['../a', 'a/../b', '/a', 'a//b', '.', './..', 'a\\b'])('refuses the path %s', async (path) => {
  await expect(read(tar([entry(path)]))).rejects.toThrow(TarError);
});

test('has at most as many entries as are allowed', async () => {
  const archive = tar([entry('a'), entry('b'), entry('c')]);
  expect(await read(archive, 3)).toHaveLength(3);
  await expect(read(archive, 2)).rejects.toThrow('has more than 2 files');
});

test('refuses a header whose sum is wrong, and a size past the end', async () => {
  const archive = tar([entry('a')]);
  archive[0] = 0x62;
  await expect(read(archive)).rejects.toThrow('is damaged');
  await expect(read(tar([{ ...entry('a'), size: 100_000 }]))).rejects.toThrow('is damaged');
});

test('ends with any bytes, and throws nothing else', async () => {
  const sound = tar([entry('a/b.js', 'one'), entry('c', 'two')]);
  await fc.assert(
    fc.asyncProperty(
      fc.nat(sound.length - 1),
      fc.nat(255),
      fc.nat(sound.length),
      async (at, byte, length) => {
        const damaged = Buffer.from(sound);
        damaged[at] = byte;
        try {
          await read(damaged.subarray(0, length));
        } catch (error) {
          expect(error).toBeInstanceOf(TarError);
        }
      },
    ),
  );
});
