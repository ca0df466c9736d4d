import { type DefaultTreeAdapterTypes, parse } from 'parse5';
import { readTagName, type StartTag } from './attributes.ts';
import { collapseSpaces, readTextRange, type TextRange } from './text-range.ts';

type Node = DefaultTreeAdapterTypes.ChildNode;
type Element = DefaultTreeAdapterTypes.Element;

/** The attribute that the elements of a previewed document have, with their number. Also in editing.client.js. */
const MARK = 'data-quire-at';

/** A body that the source does not name has no tag to mark. */
export const BODY = -1;

/** Longer documents are not read on every change. */
export const MAX_MAPPED = 1_000_000;

/** Elements that nobody can click, and those whose content is not text. Their marks would only be in the way. */
const UNMARKED = new Set([
  'head',
  'meta',
  'link',
  'title',
  'base',
  'script',
  'template',
  'noscript',
  'param',
  'track',
  'source',
  'br',
  'wbr',
  'col',
]);
const NO_TEXT = new Set([
  'script',
  'style',
  'noscript',
  'iframe',
  'noembed',
  'noframes',
  'xmp',
  'plaintext',
  'textarea',
  'title',
]);
const SVG = 'http://www.w3.org/2000/svg';

/**
 * Where the elements and texts of a document are in its source. The tree is the one that browsers make of it. Elements
 * are numbered as they are written, so a change that leaves the tags as they are leaves the numbers too.
 */
export class DocumentMap {
  /** By number. Misnested tags make several elements of one. */
  readonly #elements = new Map<number, Element[]>();
  readonly #tags: number[];

  constructor(readonly source: string) {
    const all = listElements(parse(source, { sourceCodeLocationInfo: true }).childNodes);
    const starts = new Set(all.flatMap((each) => readStart(each)?.startOffset ?? []));
    this.#tags = [...starts].sort((a, b) => a - b);
    const numbers = new Map(this.#tags.map((offset, number) => [offset, number]));
    // Elements that the parser makes again, because a tag was not closed, have no place. They share their attributes.
    const shared = new Map<Element['attrs'], number>();
    for (const element of all) {
      const start = readStart(element)?.startOffset;
      const number = start === undefined ? shared.get(element.attrs) : numbers.get(start);
      if (number !== undefined) shared.set(element.attrs, number);
      const id = number ?? (element.tagName === 'body' ? BODY : undefined);
      if (id !== undefined) this.#elements.set(id, [...(this.#elements.get(id) ?? []), element]);
    }
  }

  /** True if the other document has the same elements in the same places. Their texts and attributes may differ. */
  isLike(other: DocumentMap): boolean {
    return this.#shape() === other.#shape();
  }

  #shape(): string {
    const all = [...this.#elements].sort(([a], [b]) => a - b);
    return all.map(([id, elements]) => `${id}:${elements.map(listTags).join('|')}`).join('\n');
  }

  /** The source in which each element that can be clicked has its number. */
  mark(): string {
    let result = '';
    let done = 0;
    for (const [number, offset] of this.#tags.entries()) {
      const element = this.#elements.get(number)?.[0];
      if (!element || !isMarked(element)) continue;
      const at = offset + readTagName(this.source, offset).length;
      result += `${this.source.slice(done, at)} ${MARK}="${number}"`;
      done = at;
    }
    return result + this.source.slice(done);
  }

  /** The texts of the elements, as they are before any script changes them. */
  listTexts(): Record<number, string[]> {
    const found: Record<number, string[]> = {};
    for (const [id, elements] of this.#elements)
      for (const element of elements)
        for (const [index, child] of element.childNodes.entries()) {
          const range = this.#readText(element, index);
          if (range && 'value' in child) found[id] = [...(found[id] ?? []), child.value];
        }
    return found;
  }

  /**
   * The text that an element has at an index among its children. Scripts may have added others before it, so another one
   * with the same content is it as well, if there is only one. `isPre` says that each line break counts.
   */
  findText(id: number, index: number, value: string, isPre = false): TextRange | undefined {
    const elements = this.#elements.get(id) ?? [];
    const read = isPre ? (text: string) => text : collapseSpaces;
    const all = elements.flatMap((element) =>
      element.childNodes.flatMap((child, at) => {
        if (!('value' in child) || read(child.value) !== read(value)) return [];
        const range = this.#readText(element, at, isPre);
        return range ? [{ at, range }] : [];
      }),
    );
    const exact = all.filter(({ at }) => at === index);
    const [only] = exact.length === 1 ? exact : all.length === 1 ? all : [];
    return only?.range;
  }

  /** The only text of an element, if it has one. */
  findOnlyText(id: number): TextRange | undefined {
    const texts = (this.#elements.get(id) ?? []).flatMap((element) =>
      element.childNodes.flatMap((_, index) => this.#readText(element, index) ?? []),
    );
    return texts.length === 1 ? texts[0] : undefined;
  }

  /** The tag of an element, in lower case. */
  tagName(id: number): string | undefined {
    return this.#elements.get(id)?.[0]?.tagName.toLowerCase();
  }

  findTag(id: number): StartTag | undefined {
    const element = this.#elements.get(id)?.[0];
    return element && toStartTag(element);
  }

  /** The text of a style sheet in the document. */
  findStyles(): Array<{ id: number; from: number; to: number }> {
    return [...this.#elements].flatMap(([id, [element]]) => {
      const place = element?.sourceCodeLocation;
      if (element?.tagName !== 'style' || !place?.startTag) return [];
      const to = place.endTag?.startOffset ?? place.endOffset;
      return [{ id, from: place.startTag.endOffset, to }];
    });
  }

  /** All elements with an attribute. */
  findWith(name: string): Array<{ id: number; tag: StartTag }> {
    return [...this.#elements].flatMap(([id, [element]]) => {
      const tag = element && toStartTag(element);
      return tag?.attributes.has(name) ? [{ id, tag }] : [];
    });
  }

  /** The sources of a picture that has several, for windows and screens of different sizes. */
  findSources(id: number): StartTag[] {
    const parent = this.#elements.get(id)?.[0]?.parentNode;
    if (parent?.nodeName !== 'picture') return [];
    return parent.childNodes.flatMap((child) =>
      child.nodeName === 'source' ? (toStartTag(child as Element) ?? []) : [],
    );
  }

  /** Where an element starts. */
  findOffset(id: number): number {
    return this.#tags[id] ?? 0;
  }

  #readText(element: Element, index: number, isPre = false): TextRange | undefined {
    const child = element.childNodes[index];
    const place = child?.sourceCodeLocation;
    if (!child || !('value' in child) || !place || NO_TEXT.has(element.tagName)) return undefined;
    return readTextRange(this.source, place.startOffset, place.endOffset, child.value, isPre);
  }
}

function listElements(nodes: readonly Node[]): Element[] {
  // Not recursive: documents can be very deep.
  const found: Element[] = [];
  const waiting = [...nodes].reverse();
  for (let node = waiting.pop(); node; node = waiting.pop()) {
    if (!('tagName' in node)) continue;
    found.push(node);
    for (const child of [...node.childNodes].reverse()) waiting.push(child);
  }
  return found;
}

const listTags = ({ tagName, childNodes }: Element) =>
  [tagName, ...childNodes.flatMap((child) => ('tagName' in child ? child.tagName : []))].join('>');

const readStart = ({ sourceCodeLocation: place }: Element) => place?.startTag;

/** In drawings, only what has text. */
const isMarked = ({ tagName, namespaceURI }: Element) =>
  !UNMARKED.has(tagName) && (namespaceURI !== SVG || /^(svg|a|text|tspan)$/.test(tagName));

function toStartTag(element: Element): StartTag | undefined {
  const start = readStart(element);
  if (!start) return undefined;
  const attributes = new Map<string, { from: number; to: number; value: string }>();
  for (const { name, prefix, value } of element.attrs) {
    const place = element.sourceCodeLocation?.attrs?.[(prefix ? `${prefix}:${name}` : name).toLowerCase()];
    if (place) attributes.set(name, { from: place.startOffset, to: place.endOffset, value });
  }
  return { from: start.startOffset, to: start.endOffset, attributes };
}

/** One character for each line break, as editors and browsers count them. */
export const toSource = (text: string) => text.replace(/\r\n?/g, '\n');
