/** Colours that people can read: the contrast of WCAG, and variants of a colour that have it. */

type Triple = [number, number, number];

/** The least contrast: a little more than AA asks for (4.5), because colours are rounded. */
const CONTRAST = 4.6;
const STEPS = 64;

/** The surfaces and texts of our screens: see `tokens.css`. */
const LIGHT_SURFACE = '#faf8f4';
const DARK_SURFACE = '#201f18';
const LIGHT_TEXT = '#ffffff';
const DARK_TEXT = '#0f0e0a';

/** The largest share of a colour in the background of what is selected, where the text has the colour itself. */
const TINT = 0.12;

/** A colour for links and buttons, and the colour of text on such a button. */
export interface Accent {
  light: string;
  onLight: string;
  dark: string;
  onDark: string;
}

/** The variants of a colour (`#rrggbb`) for light and dark screens. A colour that can be read stays as it is. */
export function toAccent(color: string): Accent {
  const light = readable(color, 0, (each) =>
    Math.min(onSurface(each, LIGHT_SURFACE), contrast(each, LIGHT_TEXT)),
  );
  const dark = readable(color, 1, (each) =>
    Math.min(onSurface(each, DARK_SURFACE), contrast(each, DARK_TEXT)),
  );
  return { light, onLight: LIGHT_TEXT, dark, onDark: DARK_TEXT };
}

/** The contrast of two colours, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [a, b] = [luminance(one), luminance(other)];
  return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}

/** The contrast of a colour on a surface, also where the surface is tinted with the colour. */
const onSurface = (color: string, surface: string) =>
  Math.min(contrast(color, surface), contrast(color, tinted(surface, color)));

/** A surface behind a thin layer of the colour, as browsers paint it. */
export function tinted(surface: string, color: string): string {
  const layer = channels(color);
  return toHex(channels(surface).map((part, index) => part + ((layer[index] ?? 0) - part) * TINT));
}

/** Moves the lightness towards `end` (0 is black, 1 is white), with the same hue, until there is enough contrast. */
function readable(color: string, end: 0 | 1, measureContrast: (color: string) => number): string {
  const [lightness, a, b] = toOklab(color);
  for (let step = 0; step <= STEPS; step++) {
    const share = step / STEPS;
    const moved = lightness + (end - lightness) * share;
    // Very light and very dark colours have little room for a hue.
    const found = step === 0 ? color : fromOklab([moved, a * (1 - share / 2), b * (1 - share / 2)]);
    if (measureContrast(found) >= CONTRAST) return found;
  }
  return end === 0 ? '#000000' : '#ffffff';
}

const channels = (color: string): Triple => {
  const value = Number.parseInt(color.slice(1), 16);
  return [(value >> 16) / 255, ((value >> 8) & 255) / 255, (value & 255) / 255];
};
const toLinear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
const fromLinear = (part: number) => (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055);

function luminance(color: string): number {
  const [red, green, blue] = channels(color).map(toLinear) as Triple;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Converts to the Oklab colour space: https://bottosson.github.io/posts/oklab/ */
function toOklab(color: string): Triple {
  const [r, g, b] = channels(color).map(toLinear) as Triple;
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b);
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b);
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b);
  return [
    0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s,
    1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s,
    0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s,
  ];
}

function fromOklab([lightness, a, b]: Triple): string {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const parts = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((part) => fromLinear(Math.min(1, Math.max(0, part))));
  return toHex(parts);
}

/** Converts parts from 0 to 1 to `#rrggbb`. */
function toHex(parts: number[]): string {
  const bytes = parts.map((part) => Math.round(255 * Math.min(1, Math.max(0, part))));
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
