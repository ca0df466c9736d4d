import type { Change } from './change.ts';
import { decodeAttribute, escapeAttribute } from './text-range.ts';

/** A start tag in the source, with the places of its attributes. */
export interface StartTag {
  from: number;
  to: number;
  attributes: ReadonlyMap<string, { from: number; to: number; value: string }>;
}

/** The place of a value in the source, without its quotes. Undefined if there is none. */
export function findValue(source: string, tag: StartTag, name: string) {
  const found = tag.attributes.get(name);
  if (!found) return undefined;
  const raw = source.slice(found.from, found.to);
  const [start, quote] = /^[^=]*=\s*(["']?)/.exec(raw) ?? [];
  if (start === undefined) return undefined;
  const from = found.from + start.length;
  const to = found.to - (quote ? 1 : 0);
  const isSame = decodeAttribute(source.slice(from, to)) === found.value;
  return isSame ? { from, to, quote: quote as '' | '"' | "'", value: found.value } : undefined;
}

/** Gives an attribute a value, in the quotes that it has. Undefined if it has the value. */
export function setAttribute(source: string, tag: StartTag, name: string, value: string): Change | undefined {
  const attribute = tag.attributes.get(name);
  const place = findValue(source, tag, name);
  if (place && place.value === value) return undefined;
  if (place?.quote) return { from: place.from, to: place.to, insert: escapeAttribute(value, place.quote) };
  const written = `${name}="${escapeAttribute(value, '"')}"`;
  // Without quotes or without a value: the whole attribute is written again.
  if (attribute) return { from: attribute.from, to: attribute.to, insert: written };
  const at = findEnd(source, tag);
  return { from: at, to: at, insert: ` ${written}` };
}

/** Removes an attribute and the space before it. */
export function removeAttribute(source: string, tag: StartTag, name: string): Change | undefined {
  const attribute = tag.attributes.get(name);
  if (!attribute) return undefined;
  const space = /\s*$/.exec(source.slice(tag.from, attribute.from))?.[0].length ?? 0;
  return { from: attribute.from - space, to: attribute.to, insert: '' };
}

/** After the last attribute, or after the name of the tag. */
function findEnd(source: string, { from, attributes }: StartTag): number {
  const last = Math.max(0, ...[...attributes.values()].map(({ to }) => to));
  return last > 0 ? last : from + readTagName(source, from).length;
}

/** `<h1`, as it is written. */
export const readTagName = (source: string, from: number) =>
  /^<[^\s/>]+/.exec(source.slice(from, from + 100))?.[0] ?? '<';
