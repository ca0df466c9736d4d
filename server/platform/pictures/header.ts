/** The kinds of picture that are taken, and what they are called on the wire. */
export type PictureType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif' | 'image/avif';

export interface PictureHeader {
  contentType: PictureType;
  width: number;
  height: number;
}

/** A picture's kind by its first bytes; nothing for everything else. */
export function typeOf(bytes: Uint8Array): PictureType | undefined {
  if (startsWith(bytes, 0, '\x89PNG\r\n\x1a\n')) return 'image/png';
  if (startsWith(bytes, 0, '\xff\xd8\xff')) return 'image/jpeg';
  if (startsWith(bytes, 0, 'GIF87a') || startsWith(bytes, 0, 'GIF89a')) return 'image/gif';
  if (startsWith(bytes, 0, 'RIFF') && startsWith(bytes, 8, 'WEBP')) return 'image/webp';
  if (startsWith(bytes, 4, 'ftyp') && brandsOf(bytes).some((brand) => brand === 'avif' || brand === 'avis')) {
    return 'image/avif';
  }
  return undefined;
}

/** Reads the kind and the size from the header alone, so that nothing is decoded to find out that it is too much. */
export function readHeader(bytes: Uint8Array): PictureHeader | undefined {
  const contentType = typeOf(bytes);
  if (!contentType) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  try {
    const [width, height] = SIZES[contentType](bytes, view);
    return { contentType, width, height };
  } catch (error) {
    // The header says that more must come than there is.
    if (error instanceof RangeError) return { contentType, width: 0, height: 0 };
    throw error;
  }
}

type Size = [width: number, height: number];
const UNKNOWN: Size = [0, 0];

const SIZES: Record<PictureType, (bytes: Uint8Array, view: DataView) => Size> = {
  'image/png': (bytes, view) =>
    startsWith(bytes, 12, 'IHDR') ? [view.getUint32(16), view.getUint32(20)] : UNKNOWN,
  'image/gif': (_bytes, view) => [view.getUint16(6, true), view.getUint16(8, true)],
  'image/jpeg': jpegSize,
  'image/webp': webpSize,
  'image/avif': avifSize,
};

/** Walks the markers to the first start of frame: https://www.w3.org/Graphics/JPEG/itu-t81.pdf, table B.1. */
function jpegSize(_bytes: Uint8Array, view: DataView): Size {
  let at = 2;
  for (;;) {
    if (view.getUint8(at) !== 0xff) return UNKNOWN;
    const marker = view.getUint8(at + 1);
    if (marker === 0xff) {
      at++;
      continue;
    }
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker);
    if (isFrame) return [view.getUint16(at + 7), view.getUint16(at + 5)];
    if (marker === 0xda || marker === 0xd9) return UNKNOWN;
    const hasNoLength = marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);
    at += hasNoLength ? 2 : 2 + view.getUint16(at + 2);
  }
}

/** Three kinds of first chunk: https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(bytes: Uint8Array, view: DataView): Size {
  if (startsWith(bytes, 12, 'VP8X')) return [1 + uint24(view, 24), 1 + uint24(view, 27)];
  if (startsWith(bytes, 12, 'VP8L')) {
    const bits = view.getUint32(21, true);
    return [1 + (bits & 0x3fff), 1 + ((bits >>> 14) & 0x3fff)];
  }
  if (startsWith(bytes, 12, 'VP8 ')) {
    return [view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff];
  }
  return UNKNOWN;
}

/** The largest `ispe` property: a picture made of tiles has one for a tile and one for the whole. */
function avifSize(bytes: Uint8Array, view: DataView): Size {
  const properties = findBox(view, bytes, 0, bytes.length, ['meta', 'iprp', 'ipco']);
  let size = UNKNOWN;
  if (!properties) return size;
  for (const box of boxes(view, bytes, properties.from, properties.to)) {
    if (box.type !== 'ispe') continue;
    const [width, height]: Size = [view.getUint32(box.from + 4), view.getUint32(box.from + 8)];
    if (width * height > size[0] * size[1]) size = [width, height];
  }
  return size;
}

interface Box {
  type: string;
  from: number;
  to: number;
}

function findBox(
  view: DataView,
  bytes: Uint8Array,
  from: number,
  to: number,
  path: string[],
): Box | undefined {
  const [name, ...rest] = path;
  for (const box of boxes(view, bytes, from, to)) {
    if (box.type !== name) continue;
    // `meta` is a full box: four bytes of version and flags come before what it holds.
    const inside = box.type === 'meta' ? box.from + 4 : box.from;
    return rest.length ? findBox(view, bytes, inside, box.to, rest) : box;
  }
  return undefined;
}

function* boxes(view: DataView, bytes: Uint8Array, from: number, to: number): Generator<Box> {
  let at = from;
  while (at + 8 <= to) {
    const size = view.getUint32(at);
    const isLong = size === 1;
    const length = isLong ? Number(view.getBigUint64(at + 8)) : size === 0 ? to - at : size;
    const head = isLong ? 16 : 8;
    if (length < head) return;
    const end = Math.min(at + length, to);
    yield { type: latin1(bytes, at + 4, at + 8), from: at + head, to: end };
    at = end;
  }
}

function brandsOf(bytes: Uint8Array): string[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const end = Math.min(view.getUint32(0), bytes.length, 256);
  const brands = [latin1(bytes, 8, 12)];
  for (let at = 16; at + 4 <= end; at += 4) brands.push(latin1(bytes, at, at + 4));
  return brands;
}

function uint24(view: DataView, at: number): number {
  return view.getUint16(at, true) | (view.getUint8(at + 2) << 16);
}

function startsWith(bytes: Uint8Array, at: number, text: string): boolean {
  return latin1(bytes, at, at + text.length) === text;
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return String.fromCharCode(...bytes.subarray(from, to));
}
