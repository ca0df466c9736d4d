import type { Kind, Pick, Rect } from './messages.ts';
import type { DocumentMap } from './source/document-map.ts';

/** What is chosen in the page, as it is in the source. */
export interface Selection {
  kind: Kind;
  id: number;
  /** The name of the element, such as `h1`. */
  tag: string;
  rect: Rect;
  link?: { id: number; href: string; text?: string };
  picture?: { id: number; src: string; alt: string };
  field?: { id: number; name: 'placeholder' | 'value'; value: string };
  /** A text that cannot be typed in the page. */
  text?: string;
  /** The colors of the element, if they can be changed there. */
  color?: { id: number; value: string };
  background?: { id: number; value: string };
  /** The color that is seen behind it, if it is known. */
  behind: string;
  fontSize: number;
  isBold: boolean;
}

/** Fields whose `value` is what people read on them. */
const BUTTONS = /^(submit|button|reset)$/;

/** Undefined if the source does not have what was picked. */
export function toSelection(map: DocumentMap, pick: Pick): Selection | undefined {
  const { kind, id, rect, fontSize, isBold } = pick;
  const tag = map.tagName(id) ?? '';
  const base = { kind, id, tag, rect, fontSize, isBold, behind: pick.background, ...readColors(map, pick) };
  const attribute = (name: string, of = id) => map.findTag(of)?.attributes.get(name)?.value;
  if (kind === 'script') return base;
  if (kind === 'picture') {
    const src = attribute('src') ?? '';
    const linked = readLink(map, pick);
    return tag === 'img'
      ? { ...base, picture: { id, src, alt: attribute('alt') ?? '' }, ...linked }
      : undefined;
  }
  if (kind === 'field') {
    if (tag !== 'input' && tag !== 'textarea') return undefined;
    const isButton = tag === 'input' && BUTTONS.test(attribute('type') ?? '');
    const name = isButton ? 'value' : 'placeholder';
    return { ...base, field: { id, name, value: attribute(name) ?? '' } };
  }
  if (kind === 'box') return base.background || base.color ? base : undefined;
  const range = pick.text === '' ? undefined : map.findText(id, pick.index, pick.text, pick.isPre);
  if (pick.text !== '' && !range) return undefined;
  const link = kind === 'link' ? readLink(map, pick) : undefined;
  if (kind === 'link' && !link) return undefined;
  return { ...base, ...link, ...(range && !pick.canType && kind === 'text' && { text: range.text }) };
}

function readLink(map: DocumentMap, { link }: Pick): { link: NonNullable<Selection['link']> } | undefined {
  if (link < 0 || map.tagName(link) !== 'a') return undefined;
  const href = map.findTag(link)?.attributes.get('href')?.value ?? '';
  const text = map.findOnlyText(link)?.text;
  return { link: { id: link, href, ...(text !== undefined && { text }) } };
}

/** What is behind a text can be changed with it. */
function readColors(map: DocumentMap, { kind, id, color, background, backgroundOf }: Pick) {
  const hasText = kind === 'text' || kind === 'link';
  const hasBackground = background !== '' && (hasText || kind === 'box') && map.findTag(backgroundOf);
  return {
    ...(hasText && color && map.findTag(id) && { color: { id, value: color } }),
    ...(hasBackground && { background: { id: backgroundOf, value: background } }),
  };
}
