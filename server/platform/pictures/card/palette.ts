import { contrast, furthest, mix, parseColor, type Rgb, readable, toHex } from './contrast.ts';

/** Colours of a page in CSS notation. Each may be missing. */
export interface PageColors {
  background?: string;
  text?: string;
  accent?: string;
}

/** The colours of a card. All of them are readable on its ground. */
export interface Palette {
  ground: string;
  groundEnd: string;
  name: string;
  description: string;
  accent: string;
  shapes: [string, string, string];
}

/** Ground and accent for pages whose colours are unknown. */
const HOUSE: Array<[ground: string, accent: string]> = [
  ['#14213d', '#fca311'],
  ['#fbf7f0', '#c8553d'],
  ['#0f2e2b', '#7bd389'],
  ['#f3f4ff', '#4b4fe0'],
  ['#2b1a3f', '#ff8fb1'],
  ['#fff6df', '#2a7f62'],
  ['#1b1b23', '#6cc5ff'],
  ['#eef6f5', '#0b7285'],
];

const NAME_CONTRAST = 7;
const SMALL_TEXT_CONTRAST = 4.5;
const ACCENT_CONTRAST = 3;

/** Makes a palette from a page's colours. If there are none, the colours depend only on the name. */
export function makePalette(colors: PageColors, name: string): Palette {
  const [houseGround, houseAccent] = HOUSE[Number(Bun.hash.wyhash(name) % BigInt(HOUSE.length))] ?? ['', ''];
  const given = { ground: read(colors.background), text: read(colors.text), accent: read(colors.accent) };
  // If only the accent is known, derive a dark ground from it.
  const ground =
    given.ground ?? (given.accent ? mix(given.accent, { r: 10, g: 10, b: 24 }, 0.82) : must(houseGround));
  const accent = pickAccent(given.accent, ground, must(houseAccent), given.text);
  const text = readable(given.text ?? mix(furthest(ground), ground, 0.1), ground, NAME_CONTRAST);
  const description = readable(mix(text, ground, 0.28), ground, SMALL_TEXT_CONTRAST);
  // The ground fades into a tint, unless that makes the small text hard to read.
  const tinted = mix(ground, accent, 0.07);
  return {
    ground: toHex(ground),
    groundEnd: toHex(contrast(description, tinted) >= SMALL_TEXT_CONTRAST ? tinted : ground),
    name: toHex(text),
    description: toHex(description),
    accent: toHex(accent),
    shapes: [0.16, 0.34, 0.85].map((amount) => toHex(mix(ground, accent, amount))) as [
      string,
      string,
      string,
    ],
  };
}

function pickAccent(given: Rgb | undefined, ground: Rgb, house: Rgb, text: Rgb | undefined): Rgb {
  // Ignore an accent that is nearly the same as the ground, as a theme-color often is.
  const own = given && contrast(given, ground) > 1.25 ? given : undefined;
  return readable(own ?? text ?? house, ground, ACCENT_CONTRAST);
}

function read(color: string | undefined): Rgb | undefined {
  return color === undefined ? undefined : parseColor(color);
}

function must(color: string): Rgb {
  const read = parseColor(color);
  if (!read) throw new Error(`not a colour: ${color}`);
  return read;
}
