import { after, commentEnd, tagEnd } from './injection-point.ts';

/** The content of these elements is text up to their end tag, whatever it looks like. */
const WATCHED = /^(meta|script|style|title|textarea|xmp|iframe|noembed|noframes|plaintext)(?=[\s/>])/;
/** Their first letters in lower case: most tags are others, and there can be a million. */
const FIRST_LETTERS = new Set([...'mstxinp'].map((letter) => letter.charCodeAt(0)));

/**
 * The names of the `<meta>` tags in a document, in lower case; those inside scripts and comments do not count. It reads
 * the tags as a browser's tokenizer does, once from front to back, so that it takes time in proportion to the length
 * whatever the author wrote. A rewriter that matches selectors took seconds for a page of nested elements.
 */
export function authorTags(html: string): Set<string> {
  const found = new Set<string>();
  let at: number | undefined = html.indexOf('<');
  while (at !== undefined && at >= 0) {
    const next: number | undefined = step(html, at, found);
    at = next === undefined ? undefined : html.indexOf('<', next);
  }
  return found;
}

/** Skips what begins with the `<` at this place; undefined if the document ends within it. */
function step(html: string, at: number, found: Set<string>): number | undefined {
  const second = html.charCodeAt(at + 1) | 0x20;
  const isLetter = second >= 0x61 && second <= 0x7a;
  if (isLetter) return stepTag(html, at, second, found);
  if (html.startsWith('<!--', at)) return commentEnd(html, at);
  if (html.startsWith('</', at)) return /[a-z]/i.test(html.charAt(at + 2)) ? tagEnd(html, at) : at + 2;
  if (html.startsWith('<!', at) || html.startsWith('<?', at)) return after(html, '>', at);
  return at + 1;
}

function stepTag(html: string, at: number, letter: number, found: Set<string>): number | undefined {
  const end = tagEnd(html, at);
  if (end === undefined || !FIRST_LETTERS.has(letter)) return end;
  const name = WATCHED.exec(html.slice(at + 1, at + 12).toLowerCase())?.[1];
  if (name === undefined) return end;
  if (name === 'plaintext') return undefined;
  if (name !== 'meta') return textEnd(html, name, end);
  for (const [attribute, value] of attributesOf(html, at + 5, end))
    if (attribute === 'property' || attribute === 'name') found.add(value.trim().toLowerCase());
  return end;
}

function textEnd(html: string, name: string, from: number): number | undefined {
  const close = new RegExp(`</${name}[\\s/>]`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index;
}

const isSpace = (c: string) => c === ' ' || c === '\n' || c === '\t' || c === '\r' || c === '\f';

/** The attributes of a tag, from its name to its end. */
function* attributesOf(html: string, from: number, end: number): Generator<[string, string]> {
  let at = from;
  const skip = (isSkipped: (c: string) => boolean) => {
    const start = at;
    while (at < end - 1 && isSkipped(html.charAt(at))) at++;
    return html.slice(start, at);
  };
  while (at < end - 1) {
    skip((c) => isSpace(c) || c === '/');
    const name = skip((c) => !isSpace(c) && c !== '/' && c !== '=').toLowerCase();
    skip(isSpace);
    if (html.charAt(at) !== '=') continue;
    at++;
    skip(isSpace);
    const quote = html.charAt(at);
    const isQuoted = quote === '"' || quote === "'";
    if (isQuoted) at++;
    const value = skip(isQuoted ? (c) => c !== quote : (c) => !isSpace(c));
    if (isQuoted) at++;
    yield [name, value];
  }
}
