import { contrast, parseColor, type Rgb, saturation, toHex } from './contrast.ts';
import { type Declaration, readDeclarations } from './css.ts';
import { MAX_HTML } from './page-text.ts';
import type { PageColors } from './palette.ts';

const MAX_CSS = 400_000;
const MAX_STYLED = 2_000;
const MAX_VARIABLES = 500;
const MAX_COUNTED = 500;

const ROOT = /(^|,)\s*(:root|html|body|html\s+body|:host)\s*(,|$)/i;
const DARK = /prefers-color-scheme\s*:\s*dark/i;
const GROUND_NAMES = [
  'bg',
  'background',
  'color-bg',
  'color-background',
  'bg-color',
  'background-color',
  'page-bg',
  'paper',
];
const TEXT_NAMES = [
  'text',
  'fg',
  'foreground',
  'color-text',
  'text-color',
  'ink',
  'color-fg',
  'color-foreground',
];
const ACCENT_NAMES = [
  'accent',
  'primary',
  'brand',
  'color-accent',
  'color-primary',
  'accent-color',
  'primary-color',
  'theme',
  'main',
];

/** Finds the page's colours in its HTML: theme colour, custom properties and styles. Each may be missing. */
export function findColors(html: string): PageColors {
  const { css, rootCss, themeColor } = collect(html.slice(0, MAX_HTML));
  const declarations = [...readDeclarations(`:root{${rootCss}}`), ...readDeclarations(css)].filter(
    ({ within }) => !within.some((condition) => DARK.test(condition)),
  );
  const variables = readVariables(declarations);
  const colors = (value: string) => readColors(substitute(value, variables));
  const color = (value: string | undefined) => (value ? colors(value)[0] : undefined);
  const named = (names: string[]) => findFirst(names, (name) => color(variables.get(`--${name}`)));
  const atRoot = (...properties: string[]) =>
    findFirst(declarations, ({ property, value, within }) =>
      properties.includes(property) && within.some((selector) => ROOT.test(selector))
        ? color(value)
        : undefined,
    );

  const background = atRoot('background-color', 'background') ?? named(GROUND_NAMES);
  const text = atRoot('color') ?? named(TEXT_NAMES);
  const theme = color(themeColor);
  const isOwn = (found: Rgb | undefined) => found && (!background || contrast(found, background) > 1.25);
  const accents = [named(ACCENT_NAMES), theme, commonColor(declarations, colors, background)];
  return {
    ...asColor('background', background),
    ...asColor('text', text),
    ...asColor('accent', accents.find(isOwn)),
  };
}

function collect(html: string): { css: string; rootCss: string; themeColor: string | undefined } {
  const found = { css: '', rootCss: '', themeColor: undefined as string | undefined };
  let styled = 0;
  new HTMLRewriter()
    .on('meta[name="theme-color" i]', {
      element(meta) {
        if (!DARK.test(meta.getAttribute('media') ?? ''))
          found.themeColor ??= meta.getAttribute('content')?.slice(0, 100);
      },
    })
    .on('style', {
      text({ text }) {
        if (found.css.length + text.length <= MAX_CSS) found.css += text;
      },
    })
    .on('[style]', {
      element(element) {
        if (++styled > MAX_STYLED) return;
        const style = (element.getAttribute('style') ?? '').slice(0, 2_000);
        if (/^(html|body)$/i.test(element.tagName))
          found.rootCss += found.rootCss.length < MAX_CSS ? `${style};` : '';
        else if (found.css.length + style.length <= MAX_CSS) found.css += `}{${style}}`;
      },
    })
    .transform(html);
  return found;
}

function readVariables(declarations: Declaration[]): Map<string, string> {
  const variables = new Map<string, string>();
  for (const { property, value } of declarations) {
    if (!property.startsWith('--') || variables.has(property)) continue;
    if (variables.size >= MAX_VARIABLES) break;
    variables.set(property, value);
  }
  return variables;
}

/** Resolves `var()`, up to four levels deep and within the maximum length of a value. */
function substitute(value: string, variables: Map<string, string>): string {
  let text = value;
  for (let depth = 0; depth < 4 && text.includes('var('); depth++) {
    text = text
      .replace(
        /var\(\s*(--[\w-]{1,78})\s*(?:,([^()]{0,80}))?\)/g,
        (_, name, other) => variables.get(name) ?? other ?? '',
      )
      .slice(0, 400);
  }
  return text;
}

const COLOR =
  /#[\da-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch|color)a?\([^()]{1,80}\)|\b[a-z]{3,20}\b(?![(-])/gi;

/** The colours in a value, in order, so that a gradient begins with its first. */
function readColors(value: string): Rgb[] {
  // Some pages store only the numbers in a custom property, for `hsl(var(--primary))`.
  const text = /^[\d.]+(deg)?\s+[\d.]+%\s+[\d.]+%$/.test(value) ? `hsl(${value})` : value;
  return (text.match(COLOR) ?? []).map(parseColor).filter((color) => color !== undefined);
}

/** The most frequent strong colour. */
function commonColor(
  declarations: Declaration[],
  read: (value: string) => Rgb[],
  background: Rgb | undefined,
): Rgb | undefined {
  const counts = new Map<string, { color: Rgb; count: number }>();
  const painting = declarations.filter(({ property }) =>
    /^(color|background(-color)?|border(-\w+)?|fill|stroke)$/.test(property),
  );
  for (const color of painting.slice(0, MAX_COUNTED).flatMap(({ value }) => read(value))) {
    if (saturation(color) < 0.4 || (background && contrast(color, background) < 1.5)) continue;
    const entry = counts.get(toHex(color)) ?? { color, count: 0 };
    entry.count++;
    counts.set(toHex(color), entry);
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)[0]?.color;
}

function findFirst<T, R>(items: Iterable<T>, find: (item: T) => R | undefined): R | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function asColor<K extends string>(key: K, color: Rgb | undefined): { [P in K]?: string } {
  return color ? ({ [key]: toHex(color) } as { [P in K]: string }) : {};
}
