/** A colour as numbers from 0 to 255. */
export interface Rgb {
  r: number;
  g: number;
  b: number;
}

const WHITE: Rgb = { r: 255, g: 255, b: 255 };
const BLACK: Rgb = { r: 0, g: 0, b: 0 };

/** Parses any CSS colour. Undefined if the text is not a colour, or if the colour is mostly transparent. */
export function parseColor(text: string): Rgb | undefined {
  const color = Bun.color(text, '{rgba}');
  return color && color.a >= 0.6 ? { r: color.r, g: color.g, b: color.b } : undefined;
}

export function toHex({ r, g, b }: Rgb): string {
  return `#${[r, g, b].map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`;
}

/** Mixes two colours. An amount of 0 gives the first colour, 1 the second. */
export function mix(from: Rgb, to: Rgb, amount: number): Rgb {
  const part = (a: number, b: number) => a + (b - a) * amount;
  return { r: part(from.r, to.r), g: part(from.g, to.g), b: part(from.b, to.b) };
}

/** https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio: from 1 (none) to 21 (black on white). */
export function contrast(a: Rgb, b: Rgb): number {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Returns the colour if it is readable on the ground. Otherwise moves it towards black or white until it is. */
export function readable(color: Rgb, ground: Rgb, ratio: number): Rgb {
  const end = furthest(ground);
  for (let amount = 0; amount < 1; amount += 0.1) {
    const candidate = mix(color, end, amount);
    if (contrast(candidate, ground) >= ratio) return candidate;
  }
  return end;
}

/** Black or white, whichever has more contrast with the ground. */
export function furthest(ground: Rgb): Rgb {
  return contrast(WHITE, ground) >= contrast(BLACK, ground) ? WHITE : BLACK;
}

/** From 0 (grey) to 1 (pure). */
export function saturation({ r, g, b }: Rgb): number {
  const most = Math.max(r, g, b);
  return most === 0 ? 0 : (most - Math.min(r, g, b)) / most;
}

function luminance({ r, g, b }: Rgb): number {
  const [x, y, z] = [r, g, b].map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}
