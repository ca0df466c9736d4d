/** Colors as browsers understand them. */

interface Rgb {
  red: number;
  green: number;
  blue: number;
  alpha: number;
}

let context: CanvasRenderingContext2D | null | undefined;

/** The color as it is drawn; undefined if it is not one. */
function toRgb(color: string): Rgb | undefined {
  if (!CSS.supports('color', color)) return undefined;
  context ??= Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
    willReadFrequently: true,
  });
  if (!context) return undefined;
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [red = 0, green = 0, blue = 0, alpha = 255] = context.getImageData(0, 0, 1, 1).data;
  return { red, green, blue, alpha: alpha / 255 };
}

const toPair = (value: number) => Math.round(value).toString(16).padStart(2, '0');

/** `#rrggbb`, as color fields need it. */
export function toHex(color: string): string {
  const rgb = toRgb(color);
  return rgb ? `#${toPair(rgb.red)}${toPair(rgb.green)}${toPair(rgb.blue)}` : '#000000';
}

/** A chosen color with the transparency of the one that it replaces. */
export function keepAlpha(hex: string, before: string): string {
  const { alpha = 1 } = toRgb(before) ?? {};
  return alpha >= 1 ? hex : `${hex}${toPair(alpha * 255)}`;
}

const NOT_COLORS = new Set(['transparent', 'currentcolor', 'inherit', 'initial', 'unset', 'revert']);
/** True for words such as `tomato`. */
export const isColorName = (word: string) =>
  !NOT_COLORS.has(word) &&
  !/^(canvas|field|button|link|mark|highlight|accent|gray|selected|active|visited)(text|face|border)?$/.test(
    word,
  )
    ? CSS.supports('color', word)
    : /^gr[ae]y$/.test(word);

/** The contrast of a text with its background, from 1 to 21. */
export function findContrast(color: string, background: string): number | undefined {
  const [above, below] = [toRgb(color), toRgb(background)];
  if (!above || !below || above.alpha < 1 || below.alpha < 1) return undefined;
  const [high = 0, low = 0] = [toLuminance(above), toLuminance(below)].sort((a, b) => b - a);
  return (high + 0.05) / (low + 0.05);
}

function toLuminance({ red, green, blue }: Rgb): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue]
    .map((value) => value / 255)
    .map((value) => (value <= 0.03928 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** True if many people could not read it. Large and bold text needs less. */
export function isHardToRead(contrast: number, fontSize: number, isBold: boolean): boolean {
  return contrast < (fontSize >= 24 || (isBold && fontSize >= 18.5) ? 3 : 4.5);
}
