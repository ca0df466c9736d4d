import { expect, test } from 'bun:test';
import { randomBytes } from 'node:crypto';
import { ByteSource, readSegment, SegmentError, SegmentWriter } from './page-segment.ts';

function pack(pages: Map<number, Buffer>) {
  const parts: Uint8Array[] = [];
  const writer = new SegmentWriter(4096, (bytes) => parts.push(Buffer.from(bytes)));
  for (const [page, content] of pages) writer.add(page, content);
  const checksum = writer.end();
  const bytes = Buffer.concat(parts);
  expect(writer.bytes).toBe(bytes.length);
  return { bytes, checksum };
}

async function* pieces(bytes: Uint8Array, length: number) {
  for (let at = 0; at < bytes.length; at += length) yield bytes.subarray(at, at + length);
}

async function unpack(bytes: Uint8Array, order: { bytes: number; checksum: string }, length = 1000) {
  const found = new Map<number, Buffer>();
  const source = new ByteSource(pieces(bytes, length));
  await readSegment(source, order, 4096, (page, content) => found.set(page, Buffer.from(content)));
  return found;
}

const somePages = (count: number) =>
  new Map(Array.from({ length: count }, (_, index) => [3 * index + 1, Buffer.alloc(4096, randomBytes(64))]));

test.each([0, 1, 255, 256, 257, 700])('%d pages come back', async (count) => {
  const pages = somePages(count);
  const { bytes, checksum } = pack(pages);
  for (const length of [7, 4096, 1e6])
    expect(await unpack(bytes, { bytes: bytes.length, checksum }, length)).toEqual(pages);
});

test('a wrong bit, a missing end and bytes too many are found', async () => {
  const { bytes, checksum } = pack(somePages(3));
  const order = { bytes: bytes.length, checksum };
  for (let at = 0; at < bytes.length; at++) {
    const turned = Buffer.from(bytes);
    turned[at] = (turned[at] ?? 0) ^ (1 << (at % 8));
    await expect(unpack(turned, order)).rejects.toBeInstanceOf(SegmentError);
  }
  await expect(unpack(bytes.subarray(0, -1), order)).rejects.toBeInstanceOf(SegmentError);
  await expect(unpack(bytes, { ...order, bytes: bytes.length - 8 })).rejects.toBeInstanceOf(SegmentError);
  const longer = { checksum, bytes: bytes.length + 8 };
  await expect(unpack(Buffer.concat([bytes, Buffer.alloc(8)]), longer)).rejects.toBeInstanceOf(SegmentError);
});
