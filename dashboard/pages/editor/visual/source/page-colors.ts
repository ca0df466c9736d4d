import { findValue } from './attributes.ts';
import { type ColorUse, findColors } from './css-colors.ts';
import type { DocumentMap } from './document-map.ts';

/** A color of the page: a custom property, or all places with the same value. */
export interface PageColor {
  /** Names the color in lists. It stays as it is until the page gets, loses or moves a color. */
  key: string;
  /** The name of the custom property, such as `--accent`. */
  name?: string;
  value: string;
  isDark: boolean;
  uses: Array<{ path: string; from: number; to: number }>;
}

type Use = ColorUse & { path: string };

/** All colors in the style sheets and style attributes of a document. */
export function findDocumentColors(map: DocumentMap, path: string, isName: (word: string) => boolean): Use[] {
  const inSheets = map
    .findStyles()
    .flatMap(({ from, to }) => moveBy(from, findColors(map.source.slice(from, to), isName)));
  const inAttributes = map.findWith('style').flatMap(({ tag }) => {
    const value = findValue(map.source, tag, 'style');
    if (!value) return [];
    const raw = map.source.slice(value.from, value.to);
    // Entities in it would be taken for colors.
    return raw.includes('&') ? [] : moveBy(value.from, findColors(raw, isName));
  });
  return [...inSheets, ...inAttributes].map((use) => ({ ...use, path }));
}

const moveBy = (offset: number, uses: ColorUse[]) =>
  uses.map((use) => ({ ...use, from: use.from + offset, to: use.to + offset }));

/** Custom properties one by one, then what is left by value, the most used first. */
export function groupColors(uses: readonly Use[]): PageColor[] {
  const named: PageColor[] = [];
  const others = new Map<string, PageColor>();
  for (const { property, value, isDark, path, from, to } of uses) {
    const place = { path, from, to };
    if (property.startsWith('--')) {
      const key = `${property} ${named.filter(({ name }) => name === property).length}`;
      named.push({ key, name: property, value, isDark, uses: [place] });
      continue;
    }
    const same = others.get(value.toLowerCase());
    if (same) same.uses.push(place);
    else others.set(value.toLowerCase(), { key: `${path} ${from}`, value, isDark, uses: [place] });
  }
  return [...named, ...[...others.values()].sort((a, b) => b.uses.length - a.uses.length)];
}
