import { createHash } from 'node:crypto';
import { loadSharp } from '../../pictures/index.ts';

export interface Size {
  width: number;
  height: number;
}

const SHAPES = 9;

/** Letters of the word in the corner, as rows of five dots, so that no fonts are needed. */
const LETTERS: Record<string, string[]> = {
  d: ['11100', '10010', '10001', '10010', '11100'],
  e: ['11111', '10000', '11110', '10000', '11111'],
  m: ['10001', '11011', '10101', '10001', '10001'],
  o: ['01110', '10001', '10001', '10001', '01110'],
};

/** Draws a picture that depends only on the seed, as PNG, with the word "demo" in a corner. */
export async function drawPicture(seed: string, { width, height }: Size): Promise<Uint8Array> {
  const next = numbersFrom(seed);
  const hue = Math.floor(next() * 360);
  const shapes = Array.from({ length: SHAPES }, () => drawShape(next, hue, { width, height }));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="sky" x1="0" y1="0" x2="${next().toFixed(3)}" y2="1">
      <stop offset="0" stop-color="${colour(hue, 70, 78)}"/>
      <stop offset="1" stop-color="${colour(hue + 60, 65, 42)}"/>
    </linearGradient></defs>
    <rect width="${width}" height="${height}" fill="url(#sky)"/>
    ${shapes.join('\n')}
    ${drawWord('demo', { width, height })}
  </svg>`;
  const sharp = await loadSharp();
  return sharp(Buffer.from(svg)).png({ compressionLevel: 6 }).toBuffer();
}

/** A random number generator: returns numbers from 0 to 1, always the same for the same seed. */
function numbersFrom(seed: string): () => number {
  let block = createHash('sha256').update(seed).digest();
  let at = 0;
  return () => {
    if (at + 4 > block.length) {
      block = createHash('sha256').update(block).digest();
      at = 0;
    }
    at += 4;
    return block.readUInt32BE(at - 4) / 2 ** 32;
  };
}

function drawShape(next: () => number, hue: number, { width, height }: Size): string {
  const x = Math.round(next() * width);
  const y = Math.round(next() * height);
  const size = Math.round((0.08 + next() * 0.25) * Math.min(width, height));
  const fill = `fill="${colour(hue + Math.floor(next() * 160) - 80, 75, 35 + Math.floor(next() * 45))}" opacity="0.75"`;
  const kind = next();
  if (kind < 0.4) return `<circle cx="${x}" cy="${y}" r="${size}" ${fill}/>`;
  const turn = `transform="rotate(${Math.floor(next() * 90)} ${x} ${y})"`;
  if (kind < 0.7) {
    return `<rect x="${x - size}" y="${y - size}" width="${2 * size}" height="${size}" rx="${Math.round(size / 8)}" ${turn} ${fill}/>`;
  }
  return `<polygon points="${x},${y - size} ${x + size},${y + size} ${x - size},${y + size}" ${turn} ${fill}/>`;
}

function colour(hue: number, saturation: number, lightness: number): string {
  return `hsl(${(hue + 360) % 360},${saturation}%,${lightness}%)`;
}

function drawWord(word: string, { width, height }: Size): string {
  const dot = Math.max(1, Math.round(Math.min(width, height) / 240));
  const left = width - (word.length * 6 + 1) * dot;
  const top = height - 7 * dot;
  const dots = [...word].flatMap((letter, place) =>
    (LETTERS[letter] ?? []).flatMap((row, y) =>
      [...row].flatMap((mark, x) =>
        mark === '1'
          ? `<rect x="${left + (place * 6 + x) * dot}" y="${top + y * dot}" width="${dot}" height="${dot}"/>`
          : [],
      ),
    ),
  );
  const ground = `<rect x="${left - 2 * dot}" y="${top - 2 * dot}" width="${width}" height="${height}" fill="#fff" opacity="0.7"/>`;
  return `${ground}<g fill="#222">${dots.join('')}</g>`;
}
