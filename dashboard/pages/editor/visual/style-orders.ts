import type { Order } from './connection.ts';
import type { DocumentMap } from './source/document-map.ts';

/** What to send to a previewed document so that it shows the styles of another source. */
export function listStyleOrders(
  before: DocumentMap,
  after: DocumentMap,
  rewrite: (css: string) => string = (css) => css,
): Order[] {
  const readSheets = (map: DocumentMap) =>
    new Map(map.findStyles().map(({ id, from, to }) => [id, map.source.slice(from, to)]));
  const readAttributes = (map: DocumentMap) =>
    new Map(map.findWith('style').map(({ id, tag }) => [id, tag.attributes.get('style')?.value ?? '']));
  const sheets = listChanged(readSheets(before), readSheets(after));
  const attributes = listChanged(readAttributes(before), readAttributes(after));
  return [
    ...sheets.map(([id, css]) => ({ css: { id, text: rewrite(css) } })),
    ...attributes.map(([id, value]) => ({ attribute: { id, name: 'style', value } })),
  ];
}

const listChanged = (before: ReadonlyMap<number, string>, after: ReadonlyMap<number, string>) =>
  [...after].filter(([id, text]) => before.get(id) !== text);
