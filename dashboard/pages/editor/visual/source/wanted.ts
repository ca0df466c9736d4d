import { removeAttribute, setAttribute } from './attributes.ts';
import { applyChanges, type Change } from './change.ts';
import { BODY, DocumentMap } from './document-map.ts';
import { setInlineStyle } from './inline-style.ts';
import { changeText, type TextRange } from './text-range.ts';

/** What a person wants of one element. */
export type WantedChange =
  | { kind: 'text'; range: TextRange; text: string }
  | { kind: 'attribute'; id: number; name: 'href' | 'alt' | 'placeholder' | 'value'; value: string }
  | { kind: 'picture'; id: number; src: string }
  | { kind: 'style'; id: number; property: 'color' | 'background-color'; value: string };

/** The changes of the source that make it so. Undefined if the element is not in the source. */
export function findChanges(map: DocumentMap, wanted: WantedChange): Change[] | undefined {
  const { source } = map;
  if (wanted.kind === 'text') return defined(changeText(source, wanted.range, wanted.text));
  const tag = wanted.id === BODY ? undefined : map.findTag(wanted.id);
  if (!tag) return undefined;
  if (wanted.kind === 'attribute') return defined(setAttribute(source, tag, wanted.name, wanted.value));
  if (wanted.kind === 'style') return defined(setInlineStyle(source, tag, wanted.property, wanted.value));
  // Other sizes of the old picture would be shown instead of the new one.
  return defined(
    setAttribute(source, tag, 'src', wanted.src),
    removeAttribute(source, tag, 'srcset'),
    removeAttribute(source, tag, 'sizes'),
    ...map.findSources(wanted.id).map((each) => setAttribute(source, each, 'srcset', wanted.src)),
  );
}

const defined = (...changes: Array<Change | undefined>) => changes.filter((each) => each !== undefined);

/** The map after the changes. Undefined if they would change more than they should: the tags stay the same. */
export function mapAfter(map: DocumentMap, changes: readonly Change[]): DocumentMap | undefined {
  const next = new DocumentMap(applyChanges(map.source, changes));
  return next.isLike(map) ? next : undefined;
}
