import { after, commentEnd, tagEnd } from './injection-point.ts';

/** A tag of a document: from its `<` to behind its `>`. */
export interface Tag {
  /** The name in lower case; that of an end tag begins with `/`. */
  name: string;
  at: number;
  end: number;
  /** Where the content ends, if it is text, such as that of a script. */
  textEnd?: number;
}

/** The content of these elements is text up to their end tag, whatever it looks like. */
const TEXT_ELEMENTS = /^(script|style|title|textarea|xmp|iframe|noembed|noframes|plaintext)$/;
/** Characters of a tag name. No name that matters is longer. */
const MAX_NAME = 16;

/**
 * Calls `visit` for each tag of a document; those inside scripts and comments do not count. It reads the tags as a
 * browser's tokenizer does, once from front to back, so that it takes time in proportion to the length whatever the
 * author wrote. A rewriter that matches selectors took seconds for a page of nested elements.
 *
 * With `letters`, only names that begin with one of these (in lower case) are visited: a document can have a million
 * tags, and most are others. The first letters of text elements must be among them.
 */
export function walkTags(html: string, visit: (tag: Tag) => void, letters?: Set<number>): void {
  let at: number | undefined = html.indexOf('<');
  while (at !== undefined && at >= 0) {
    const next: number | undefined = step(html, at, visit, letters);
    at = next === undefined ? undefined : html.indexOf('<', next);
  }
}

/** Skips what begins with the `<` at this place; undefined if the document ends within it. */
function step(
  html: string,
  at: number,
  visit: (tag: Tag) => void,
  letters: Set<number> | undefined,
): number | undefined {
  const isEnd = html.charCodeAt(at + 1) === 0x2f;
  const letter = html.charCodeAt(isEnd ? at + 2 : at + 1) | 0x20;
  if (letter < 0x61 || letter > 0x7a) return isEnd ? at + 2 : stepOther(html, at);
  const end = tagEnd(html, at);
  if (end === undefined || (letters && !letters.has(letter))) return end;
  const name = nameAt(html, at + 1);
  if (isEnd || !TEXT_ELEMENTS.test(name)) {
    visit({ name, at, end });
    return end;
  }
  const textEnd = name === 'plaintext' ? undefined : findTextEnd(html, name, end);
  visit({ name, at, end, textEnd: textEnd ?? html.length });
  return textEnd;
}

function stepOther(html: string, at: number): number | undefined {
  if (html.startsWith('<!--', at)) return commentEnd(html, at);
  if (html.startsWith('<!', at) || html.startsWith('<?', at)) return after(html, '>', at);
  return at + 1;
}

function nameAt(html: string, from: number): string {
  return /^\/?[^\s/>]*/.exec(html.slice(from, from + MAX_NAME))?.[0].toLowerCase() ?? '';
}

function findTextEnd(html: string, name: string, from: number): number | undefined {
  const close = new RegExp(`</${name}[\\s/>]`, 'gi');
  close.lastIndex = from;
  return close.exec(html)?.index;
}

const isSpace = (c: string) => c === ' ' || c === '\n' || c === '\t' || c === '\r' || c === '\f';

/** An attribute of a tag, and where its value begins. */
export interface Attribute {
  name: string;
  value: string;
  at: number;
}

/** The attributes of a tag that have a value. */
export function* readAttributes(html: string, tag: Tag): Generator<Attribute> {
  const { end } = tag;
  let at = tag.at + 1 + tag.name.length;
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
    const start = at;
    const value = skip(isQuoted ? (c) => c !== quote : (c) => !isSpace(c));
    if (isQuoted) at++;
    yield { name, value, at: start };
  }
}
