import { findValue, type StartTag, setAttribute } from './attributes.ts';
import type { Change } from './change.ts';
import { findDeclarations } from './css-colors.ts';

/** Gives a property of an element a value in its own `style`. Only that value changes if it is there. */
export function setInlineStyle(
  source: string,
  tag: StartTag,
  property: 'color' | 'background-color',
  value: string,
): Change | undefined {
  const place = findValue(source, tag, 'style');
  const style = place?.value ?? '';
  const found = findDeclarations(style).findLast((each) => each.property === property);
  const isPlain = place && source.slice(place.from, place.to) === style;
  if (found && isPlain) {
    const written = style.slice(found.from, found.to);
    const start = place.from + found.from + (/^\s*/.exec(written)?.[0].length ?? 0);
    const end = place.from + found.to - (/\s*(!important\s*)?$/i.exec(written)?.[0].length ?? 0);
    if (source.slice(start, end) === value) return undefined;
    return { from: start, to: Math.max(start, end), insert: value };
  }
  const kept = found ? withoutDeclaration(style, found) : style;
  const before = kept.trim().replace(/;$/, '');
  return setAttribute(source, tag, 'style', `${before && `${before}; `}${property}: ${value}`);
}

function withoutDeclaration(style: string, { from, to }: { from: number; to: number }): string {
  const start = style.slice(0, from).lastIndexOf(';') + 1;
  return style.slice(0, start) + style.slice(to).replace(/^\s*;/, '');
}
