import { describe, expect, test } from 'bun:test';
import { writeZip, type ZipFile, zipSize } from '../../../contract/rules/projects/zip-writer.ts';
import { makeZip, type ZipPart } from '../../../test/support/zip.ts';
import { readZip } from './zip-reader.ts';

const MAX = 100;
const unpack = (zip: Buffer) =>
  Object.fromEntries(readZip(zip, MAX).map(({ name, read }) => [name, Buffer.from(read()).toString()]));

test('files are unpacked, packed or not, and folders are left out', () => {
  const zip = makeZip(
    [{ name: 'a/' }, { name: 'a/b', content: 'b' }, { name: 'ü', content: 'x'.repeat(1000), deflate: true }],
    { comment: 'PK\x05\x06 a comment' },
  );
  expect(unpack(zip)).toEqual({ 'a/b': 'b', ü: 'x'.repeat(1000) });
});

test('what we write can be read', async () => {
  const file = (path: string, content: string): ZipFile => ({
    path,
    size: Buffer.byteLength(content),
    crc32: Bun.hash.crc32(content),
    updatedAt: Date.UTC(2026, 0, 2),
    bytes: () => [Buffer.from(content)],
  });
  const files = [file('a', ''), file('ü/b.txt', 'bé'), file('c', 'c'.repeat(70_000))];
  const zip = Buffer.concat(await Array.fromAsync(writeZip(files)));
  expect(zip.length).toBe(zipSize(files));
  expect(unpack(zip)).toEqual({ a: '', 'ü/b.txt': 'bé', c: 'c'.repeat(70_000) });
});

const bomb = { name: 'a', content: '0'.repeat(1_000_000), deflate: true };
const REFUSED: Array<[why: string, parts: ZipPart[], message: string]> = [
  ['is encrypted', [{ name: 'a', flags: 0x0801 }], 'is encrypted'],
  ['has a link', [{ name: 'a', content: '/etc/passwd', mode: 0o120777 }], 'is a link'],
  ['has a device', [{ name: 'a', mode: 0o020666 }], 'special file'],
  ['uses another method', [{ name: 'a', method: 14 }], 'a way that is not known'],
  ['uses ZIP64', [{ name: 'a', size: 0xffffffff }], 'uses ZIP64'],
  ['has a name in another encoding', [{ name: new Uint8Array([0x81, 0xff]) }], 'not UTF-8'],
  ['claims less than it unpacks to', [{ ...bomb, size: 10 }], 'damaged'],
  ['claims nothing and unpacks to something', [{ ...bomb, size: 0 }], 'damaged'],
  ['claims more than it unpacks to', [{ name: 'a', content: 'x', deflate: true, size: 2 }], 'damaged'],
  ['has a wrong checksum', [{ name: 'a', content: 'x', crc: 1 }], 'damaged'],
  ['has another name before the bytes', [{ name: 'a', content: 'x', localName: 'b' }], 'damaged'],
  ['points past its end', [{ name: 'a', content: 'x', offset: 1_000_000 }], 'damaged'],
  ['points into the bytes', [{ name: 'a', content: 'x', offset: 3 }], 'damaged'],
  ['holds less than it says', [{ name: 'a', content: 'x', packedSize: 9, size: 9 }], 'damaged'],
  [
    'lets entries share their bytes',
    [{ ...bomb }, ...Array.from({ length: 50 }, (_, at) => ({ name: `${at}`, packedSize: 900, offset: 0 }))],
    'damaged',
  ],
];
describe('an archive is refused that', () => {
  test.each(REFUSED)('%s', (_, parts, message) => {
    expect(() => unpack(makeZip(parts))).toThrow(message);
  });

  test('has more entries than allowed, before any is read', () => {
    const parts = Array.from({ length: MAX + 1 }, (_, at) => ({ name: `${at}` }));
    expect(() => readZip(makeZip(parts), MAX)).toThrow('has 101 entries; at most 100 are allowed');
    expect(readZip(makeZip(parts.slice(1)), MAX)).toHaveLength(MAX);
  });

  test.each([0, 2])('says that it has %d entries and has one', (count) => {
    expect(() => unpack(makeZip([{ name: 'a' }], { count }))).toThrow('damaged');
  });

  test('is cut off, anywhere', () => {
    const zip = makeZip([
      { name: 'a', content: 'x' },
      { ...bomb, name: 'b' },
    ]);
    for (let end = 0; end < zip.length; end += 7)
      expect(() => unpack(zip.subarray(0, end))).toThrow('not a ZIP archive');
  });

  test('has any byte changed never crashes and never lies', () => {
    const zip = makeZip([{ name: 'a', content: 'x'.repeat(50), deflate: true }]);
    for (let at = 0; at < zip.length; at++) {
      const changed = Buffer.from(zip);
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      try {
        for (const content of Object.values(unpack(changed))) expect(content).toBe('x'.repeat(50));
      } catch (error) {
        expect((error as { code?: string }).code).toMatch(/^(BAD_REQUEST|PAYLOAD_TOO_LARGE)$/);
      }
    }
  });
});
