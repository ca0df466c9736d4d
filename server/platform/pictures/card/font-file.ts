import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';

/** Which characters a font can draw: pairs of first and last code point, in order. */
export type Coverage = ReadonlyArray<readonly [first: number, last: number]>;

const decompress = promisify(brotliDecompress);
const CMAP = 'cmap';

/** True if the sorted ranges contain the code point. */
export function covers(coverage: Coverage, codePoint: number): boolean {
  let low = 0;
  let high = coverage.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const [first, last] = coverage[middle] ?? [0, -1];
    if (codePoint < first) high = middle - 1;
    else if (codePoint > last) low = middle + 1;
    else return true;
  }
  return false;
}

/** Reads the coverage of a TrueType, OpenType or WOFF2 font. Empty if the file has another type or is damaged. */
export async function readCoverage(font: Buffer): Promise<Coverage> {
  try {
    const table = font.toString('latin1', 0, 4) === 'wOF2' ? await woff2Table(font) : sfntTable(font);
    return table ? cmapRanges(table) : [];
  } catch (error) {
    if (error instanceof RangeError) return [];
    throw error;
  }
}

/** https://learn.microsoft.com/typography/opentype/spec/otff#table-directory */
function sfntTable(font: Buffer): Buffer | undefined {
  const kind = font.readUInt32BE(0);
  if (kind !== 0x00010000 && kind !== 0x4f54544f) return undefined;
  const count = font.readUInt16BE(4);
  for (let i = 0; i < count; i++) {
    const entry = 12 + 16 * i;
    if (font.toString('latin1', entry, entry + 4) !== CMAP) continue;
    const offset = font.readUInt32BE(entry + 8);
    return font.subarray(offset, offset + font.readUInt32BE(entry + 12));
  }
  return undefined;
}

/** All tables are in one Brotli stream after a packed directory: https://www.w3.org/TR/WOFF2/#table_dir_format */
async function woff2Table(font: Buffer): Promise<Buffer | undefined> {
  const count = font.readUInt16BE(12);
  let at = 48;
  let offset = 0;
  let found: [from: number, to: number] | undefined;
  const readNumber = () => {
    let value = 0;
    for (let i = 0; i < 5; i++) {
      const byte = font.readUInt8(at++);
      value = value * 128 + (byte & 0x7f);
      if (!(byte & 0x80)) break;
    }
    return value;
  };
  for (let i = 0; i < count; i++) {
    const flags = font.readUInt8(at++);
    const tag = flags & 0x3f;
    if (tag === 63) at += 4;
    const version = flags >> 6;
    // Tags 10 and 11 are glyf and loca. For these, version 3 means "not transformed"; for all others, version 0 does.
    const isTransformed = tag === 10 || tag === 11 ? version !== 3 : version !== 0;
    const original = readNumber();
    const length = isTransformed ? readNumber() : original;
    if (tag === 0) found = [offset, offset + length];
    offset += length;
  }
  const tables = await decompress(font.subarray(at, at + font.readUInt32BE(20)));
  return found && tables.subarray(...found);
}

/** Fonts use formats 4 and 12: https://learn.microsoft.com/typography/opentype/spec/cmap */
function cmapRanges(cmap: Buffer): Coverage {
  const ranges: Array<[number, number]> = [];
  const count = cmap.readUInt16BE(2);
  for (let i = 0; i < count; i++) {
    const table = cmap.subarray(cmap.readUInt32BE(8 + 8 * i));
    const platform = cmap.readUInt16BE(4 + 8 * i);
    const format = table.readUInt16BE(0);
    if (platform !== 0 && platform !== 3) continue;
    if (format === 12) ranges.push(...format12(table));
    if (format === 4) ranges.push(...format4(table));
  }
  return ranges.sort((a, b) => a[0] - b[0]).reduce(join, []);
}

function* format12(table: Buffer): Generator<[number, number]> {
  const count = table.readUInt32BE(12);
  for (let i = 0; i < count; i++) {
    yield [table.readUInt32BE(16 + 12 * i), table.readUInt32BE(20 + 12 * i)];
  }
}

function* format4(table: Buffer): Generator<[number, number]> {
  const size = table.readUInt16BE(6);
  for (let at = 0; at < size; at += 2) {
    const last = table.readUInt16BE(14 + at);
    const first = table.readUInt16BE(16 + size + at);
    if (last !== 0xffff) yield [first, last];
  }
}

/** Merges adjacent ranges, so that the binary search is correct. */
function join(ranges: Array<[number, number]>, next: [number, number]): Array<[number, number]> {
  const previous = ranges.at(-1);
  if (previous && next[0] <= previous[1] + 1) previous[1] = Math.max(previous[1], next[1]);
  else ranges.push([...next]);
  return ranges;
}
