import { loadSharp } from '../../pictures/index.ts';
import type { VisionProvider } from '../provider.ts';

/** Larger than any checked picture. An unchecked one must not use up the memory. */
const MAX_PIXELS = 100_000_000;

const SAMPLE_SIDE = 48;
const COLOURS_NAMED = 3;

/** A colour that covers a smaller share is not a main colour. */
const MIN_SHARE = 0.05;

const PALETTE: Array<[name: string, red: number, green: number, blue: number]> = [
  ['black', 15, 15, 15],
  ['white', 245, 245, 245],
  ['grey', 128, 128, 128],
  ['red', 210, 35, 35],
  ['orange', 240, 140, 30],
  ['yellow', 245, 220, 60],
  ['green', 50, 150, 60],
  ['turquoise', 50, 190, 190],
  ['blue', 45, 85, 205],
  ['purple', 130, 60, 170],
  ['pink', 240, 140, 180],
  ['brown', 115, 75, 45],
];

/** Describes a picture by its size and colours, without a model. */
export const demoVision: VisionProvider = {
  async describe({ prompt, image }) {
    const sharp = await loadSharp();
    const { width, height, format } = await sharp(image.bytes, { limitInputPixels: MAX_PIXELS }).metadata();
    const colours = await findMainColours(image.bytes);
    const shape = width === height ? 'square' : width > height ? 'landscape' : 'upright';
    return (
      `This is Quire's built-in demo provider: it measures pictures and does not understand them. ` +
      `The picture is a ${format.toUpperCase()} of ${width} x ${height} pixels (${shape}); ` +
      `its main colours are ${colours.join(', ')}. You asked: "${prompt.slice(0, 200)}"`
    );
  },
};

async function findMainColours(bytes: Uint8Array): Promise<string[]> {
  const sharp = await loadSharp();
  const pixels = await sharp(bytes, { limitInputPixels: MAX_PIXELS })
    .flatten({ background: '#fff' })
    .resize(SAMPLE_SIDE, SAMPLE_SIDE, { fit: 'fill', kernel: 'nearest' })
    .toColourspace('srgb')
    .raw()
    .toBuffer();
  const counts = new Map<string, number>();
  for (let at = 0; at + 2 < pixels.length; at += 3) {
    const name = nearestColour(pixels[at] ?? 0, pixels[at + 1] ?? 0, pixels[at + 2] ?? 0);
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count >= MIN_SHARE * SAMPLE_SIDE ** 2)
    .sort(([a, countA], [b, countB]) => countB - countA || a.localeCompare(b))
    .slice(0, COLOURS_NAMED)
    .map(([name]) => name);
}

function nearestColour(red: number, green: number, blue: number): string {
  let best = { name: 'grey', distance: Number.POSITIVE_INFINITY };
  for (const [name, r, g, b] of PALETTE) {
    const distance = (red - r) ** 2 + (green - g) ** 2 + (blue - b) ** 2;
    if (distance < best.distance) best = { name, distance };
  }
  return best.name;
}
