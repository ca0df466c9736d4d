/** The supported image types. */
export type PictureType = 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif' | 'image/avif';

/**
 * Recognizes the type by the first bytes. Everything else must be refused before the decoder sees it: it would also
 * open SVG, TIFF and other formats.
 */
export function detectType(bytes: Uint8Array): PictureType | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_START)).toString(
    'latin1',
  );
  if (start.startsWith('\x89PNG\r\n\x1a\n')) return 'image/png';
  if (start.startsWith('\xff\xd8\xff')) return 'image/jpeg';
  if (start.startsWith('GIF87a') || start.startsWith('GIF89a')) return 'image/gif';
  if (start.startsWith('RIFF') && start.startsWith('WEBP', 8)) return 'image/webp';
  if (start.startsWith('ftyp', 4) && readBrands(bytes, start).some(isAvif)) return 'image/avif';
  return undefined;
}

/** Enough for all signatures and the brands of an AVIF. */
const MAX_START = 256;

/** The major brand and the compatible brands of an ISO media file. */
function readBrands(bytes: Uint8Array, start: string): string[] {
  const boxLength = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(0);
  const compatible = start.slice(16, boxLength).match(/.{4}/gs) ?? [];
  return [start.slice(8, 12), ...compatible];
}

const isAvif = (brand: string) => brand === 'avif' || brand === 'avis';
