import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Coverage, covers, readCoverage } from './font-file.ts';
import { findSystemFont } from './system-fonts.ts';

/** A font for the layout engine. Every file is its own family, so that the engine tries each one. */
export interface Font {
  name: string;
  data: Buffer;
  weight: 400 | 700;
  style: 'normal';
}

/** Fonts by writing system, with the available weights. Order matters: the first font that has a character draws it. */
const BUNDLED: Array<[name: string, weights: Array<400 | 700>, writes: RegExp]> = [
  ['noto-sans-latin', [700, 400], /[\p{Script=Latin}\p{Script=Common}]/u],
  ['noto-sans-latin-ext', [700, 400], /[\p{Script=Latin}\p{Script=Common}\p{M}]/u],
  ['noto-sans-vietnamese', [700, 400], /[\p{Script=Latin}\p{Script=Common}\p{M}]/u],
  ['noto-sans-cyrillic', [700, 400], /[\p{Script=Cyrillic}\p{Script=Common}]/u],
  ['noto-sans-cyrillic-ext', [700, 400], /[\p{Script=Cyrillic}\p{Script=Common}\p{M}]/u],
  ['noto-sans-greek', [700, 400], /[\p{Script=Greek}\p{Script=Common}]/u],
  ['noto-sans-greek-ext', [700, 400], /[\p{Script=Greek}]/u],
  ['noto-sans-hebrew', [700, 400], /[\p{Script=Hebrew}\u20aa]/u],
  // Not Noto: its dots are separate marks, which the layout engine does not position correctly.
  ['ibm-plex-sans-arabic', [700, 400], /[\p{Script=Arabic}\p{Script=Common}\p{M}]/u],
  ['noto-sans-devanagari', [700, 400], /[\p{Script=Devanagari}\u0964\u0965\u20b9]/u],
  ['noto-sans-bengali', [700, 400], /[\p{Script=Bengali}]/u],
  ['noto-sans-thai', [700, 400], /[\p{Script=Thai}\u0e3f]/u],
  ['noto-sans-kr', [700], /[\p{Script=Hangul}]/u],
  ['noto-sans-sc', [700], /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Common}]/u],
  // Arrows, stars, check marks and mathematical symbols.
  ['noto-sans-math', [400], /[\p{S}\p{P}\p{Script=Greek}]/u],
];
const EMOJI = 'noto-emoji';
const MAX_SYSTEM_FONTS = 4;

/** The fonts that a text needs, and the characters that none of them has. */
interface FontChoice {
  fonts: Font[];
  missing: Set<string>;
}

/** Chooses the fonts for a text: first the bundled ones, then up to `maxSystemFonts` of the machine. */
export async function chooseFonts(text: string, maxSystemFonts = MAX_SYSTEM_FONTS): Promise<FontChoice> {
  const missing = new Set(
    [...text].filter((character) => !/[\p{Default_Ignorable_Code_Point}\s]/u.test(character)),
  );
  // Always include Latin: it has the spaces, the digits and the ellipsis of a shortened line.
  const fonts = await loadBundled('noto-sans-latin', [700, 400]);
  for (const [name, weights, writes] of BUNDLED) {
    const wanted = [...missing].filter((character) => writes.test(character));
    if (wanted.length === 0) continue;
    const coverage = await loadCoverage(name, weights);
    const drawn = wanted.filter((character) => covers(coverage, toCodePoint(character)));
    for (const character of drawn) missing.delete(character);
    if (drawn.length > 0 && name !== 'noto-sans-latin') fonts.push(...(await loadBundled(name, weights)));
  }
  for (let i = 0; i < maxSystemFonts && missing.size > 0; i++) {
    const found = await findSystemFont([...missing].map(toCodePoint));
    if (!found) break;
    for (const character of missing)
      if (covers(found.coverage, toCodePoint(character))) missing.delete(character);
    fonts.push({ name: found.path, data: await readFile(found.path), weight: 700, style: 'normal' });
  }
  return { fonts, missing };
}

/** The font for emoji, drawn in one colour like letters. */
export async function emojiFont(): Promise<{ fonts: Font[]; coverage: Coverage }> {
  return { fonts: await loadBundled(EMOJI, [700]), coverage: await loadCoverage(EMOJI, [700]) };
}

const files = new Map<string, Promise<Buffer>>();
const coverages = new Map<string, Promise<Coverage>>();

function loadFile(name: string, weight: number): Promise<Buffer> {
  return remember(files, `${name}-${weight}.woff2`, (file) => readFile(join(import.meta.dir, 'fonts', file)));
}

function loadCoverage(name: string, weights: number[]): Promise<Coverage> {
  return remember(coverages, name, async () => readCoverage(await loadFile(name, weights[0] ?? 700)));
}

function loadBundled(name: string, weights: Array<400 | 700>): Promise<Font[]> {
  return Promise.all(
    weights.map(async (weight) => ({
      name,
      data: await loadFile(name, weight),
      weight,
      style: 'normal' as const,
    })),
  );
}

function remember<T>(
  map: Map<string, Promise<T>>,
  key: string,
  make: (key: string) => Promise<T>,
): Promise<T> {
  const value = map.get(key) ?? make(key);
  map.set(key, value);
  return value;
}

function toCodePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
