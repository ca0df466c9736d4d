import { decodeHTML, decodeHTMLAttribute } from 'entities';
import type { Change } from './change.ts';

/** A piece of source and the text that it stands for. An entity is one piece, and so is every other character. */
interface Piece {
  from: number;
  to: number;
  text: string;
}

/** A text in the source, without the white space around it. */
export interface TextRange {
  from: number;
  to: number;
  /** What a reader sees: with one space for any white space, unless each line break counts. */
  text: string;
  isPre: boolean;
  pieces: readonly Piece[];
}

const PIECE = /&(?:#x[0-9a-f]+;?|#\d+;?|[a-z][a-z0-9]*;?)|[^&]|&/gi;
const SPACE = /^[\t\n\f\r ]*$/;
const NO_BREAK_SPACE = '\u00a0';

/** Where each part of a decoded text is in the source. */
function readPieces(source: string, from: number, to: number): Piece[] {
  const pieces: Piece[] = [];
  for (const { 0: raw, index } of source.slice(from, to).matchAll(PIECE))
    pieces.push({ from: from + index, to: from + index + raw.length, text: decodeHTML(raw) });
  return pieces;
}

/** The text without the white space around it. Undefined if there is none, or if the source says something else. */
export function readTextRange(
  source: string,
  from: number,
  to: number,
  expected: string,
  isPre = false,
): TextRange | undefined {
  let pieces = readPieces(source, from, to);
  // A line break at the start of a `pre` does not count.
  if (joinPieces(pieces) === `\n${expected}`) pieces = pieces.slice(1);
  if (joinPieces(pieces) !== expected) return undefined;
  const first = pieces.findIndex(({ text }) => !SPACE.test(text));
  const last = pieces.findLastIndex(({ text }) => !SPACE.test(text));
  const start = pieces[first];
  const end = pieces[last];
  if (!start || !end) return undefined;
  const inside = isPre ? pieces.slice(first, last + 1) : joinSpaces(pieces.slice(first, last + 1));
  return { from: start.from, to: end.to, text: joinPieces(inside), pieces: inside, isPre };
}

/** Makes one piece of all white space that a reader sees as one space. */
function joinSpaces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  for (const piece of pieces) {
    const last = joined.at(-1);
    if (last && last.text === ' ' && SPACE.test(piece.text)) last.to = piece.to;
    else joined.push(SPACE.test(piece.text) ? { ...piece, text: ' ' } : { ...piece });
  }
  return joined;
}

export const collapseSpaces = (text: string) => text.replace(/[\t\n\f\r ]+/g, ' ');

const joinPieces = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join('');

/** The smallest change of the source that makes it say `wanted`. Undefined if it does already. */
export function changeText(source: string, range: TextRange, wanted: string): Change | undefined {
  const { pieces, from, to } = range;
  const cleaned = cleanTyped(wanted, range.text);
  const text = range.isPre ? cleaned : collapseSpaces(cleaned);
  if (text === range.text) return undefined;
  const [head, tail] = findSame(pieces, text);
  const rest = text.slice(lengthTo(pieces, head), text.length - lengthFrom(pieces, pieces.length - tail));
  const change = {
    from: pieces[head]?.from ?? to,
    to: pieces[pieces.length - tail - 1]?.to ?? from,
    insert: escapeText(rest),
  };
  // Nothing is replaced: the end is where the start is.
  if (head + tail === pieces.length) change.to = change.from;
  const raw = source.slice(from, change.from) + change.insert + source.slice(change.to, to);
  // What is typed beside a bare "&" or "<" can give it a meaning. Then everything is written again.
  const said = joinPieces(readPieces(raw, 0, raw.length));
  const isSafe = !/<[a-z!/?]/i.test(raw) && (range.isPre ? said : collapseSpaces(said)) === text;
  return isSafe ? change : { from, to, insert: escapeText(text) };
}

/** How many pieces at the start and at the end say the same in the other text. */
function findSame(pieces: readonly Piece[], text: string): [head: number, tail: number] {
  let head = 0;
  let at = 0;
  for (const { text: part } of pieces) {
    if (!text.startsWith(part, at)) break;
    head++;
    at += part.length;
  }
  let tail = 0;
  let end = text.length;
  for (const { text: part } of pieces.slice(head).reverse()) {
    if (end - part.length < at || !text.endsWith(part, end)) break;
    tail++;
    end -= part.length;
  }
  // Half of a character outside the basic plane is the same in many of them.
  if (head > 0 && isHighSurrogate(pieces[head - 1]?.text)) head--;
  if (tail > 0 && isLowSurrogate(pieces[pieces.length - tail]?.text)) tail--;
  return [head, tail];
}

const lengthTo = (pieces: readonly Piece[], end: number) => joinPieces(pieces.slice(0, end)).length;
const lengthFrom = (pieces: readonly Piece[], start: number) => joinPieces(pieces.slice(start)).length;
const isHighSurrogate = (text = '') => /[\ud800-\udbff]$/.test(text);
const isLowSurrogate = (text = '') => /^[\udc00-\udfff]/.test(text);

/** While somebody types, browsers put no-break spaces where a space would not show. Characters without a meaning go. */
function cleanTyped(typed: string, before: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be in a document
  const text = typed.replace(/\r\n?/g, '\n').replace(/[\0-\x08\x0b\x0e-\x1f\x7f-\x9f]/g, '');
  return before.includes(NO_BREAK_SPACE) ? text : text.replaceAll(NO_BREAK_SPACE, ' ').toWellFormed();
}

const escapeText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll(NO_BREAK_SPACE, '&nbsp;');

export const escapeAttribute = (text: string, quote: '"' | "'") =>
  text.replaceAll('&', '&amp;').replaceAll(quote, quote === '"' ? '&quot;' : '&#39;');

export const decodeAttribute = (raw: string) => decodeHTMLAttribute(raw);
