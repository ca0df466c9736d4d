import type { Mark } from '../../../../contract/data/records.ts';
import { MAX_SEARCHED_CHARACTERS } from '../../../../contract/rules/limits.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import type { SearchQuery, Term } from './query.ts';
import { readTexts } from './texts.ts';
import { readWords, type Word } from './words.ts';

/** Marks what was found, in parts of texts. They are texts, and never HTML. */

/** Characters of a part, and how many of them come before the first word that was found. */
const MAX_PART = 240;
const BEFORE = 60;
const MORE = '…';

interface Hit {
  from: number;
  to: number;
}

/** One mark for each field in which something was found. */
export function markFields(data: RecordData, fields: string[], query: SearchQuery): Mark[] {
  let left = MAX_SEARCHED_CHARACTERS;
  return fields.flatMap((field) => {
    const texts = readTexts(data, field);
    // What follows is not searched.
    const searchedTexts = texts.map((text) => {
      const searched = text.slice(0, left);
      left -= searched.length;
      return searched;
    });
    for (const [at, text] of texts.entries()) {
      const searched = searchedTexts[at] ?? '';
      const hits = findHits(searched, query);
      if (hits.length > 0) return [{ field, pieces: toPieces(text, hits) }];
    }
    return [];
  });
}

/** What was found, in order, up to the end of the part that is shown. */
function findHits(text: string, query: SearchQuery): Hit[] {
  const hits: Hit[] = [];
  const longest = Math.max(1, ...query.map(({ words }) => words.length));
  // The last words that were read, as many as the longest term has.
  const recent: Word[] = [];
  for (const word of readWords(text)) {
    const [first] = hits;
    if (first && word.from > first.from + MAX_PART) break;
    recent.push(word);
    if (recent.length > longest) recent.shift();
    for (const term of query) {
      const last = term.words.at(-1);
      if (!last || findSpelling(last, word, term.isOpen) === undefined) continue;
      const found = recent.slice(-term.words.length);
      if (found.length === term.words.length) hits.push(...matchTerm(term, found));
    }
  }
  return merge(hits);
}

function matchTerm({ words, isOpen }: Term, found: Word[]): Hit[] {
  const hits: Hit[] = [];
  for (const [at, wanted] of words.entries()) {
    const word = found[at] as Word;
    const spelling = findSpelling(wanted, word, isOpen && at === words.length - 1);
    if (spelling === undefined) return [];
    // A pair can match by its first character alone.
    const isPart = word.script === 'pair' && word.to - word.from === word.plain.length;
    hits.push({ from: word.from, to: isPart ? word.from + spelling.length : word.to });
  }
  return hits;
}

/** How a wanted word is spelled in the beginning of a word, or in all of it. */
function findSpelling({ plain, german }: Word, word: Word, canBeLonger: boolean): string | undefined {
  const fits = (spelling: string) =>
    canBeLonger
      ? word.plain.startsWith(spelling) || word.german.startsWith(spelling)
      : word.plain === spelling || word.german === spelling;
  if (fits(plain)) return plain;
  return german !== plain && fits(german) ? german : undefined;
}

function merge(hits: Hit[]): Hit[] {
  const merged: Hit[] = [];
  for (const { from, to } of hits.sort((a, b) => a.from - b.from)) {
    const last = merged.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else merged.push({ from, to });
  }
  return merged;
}

function toPieces(text: string, hits: Hit[]): Mark['pieces'] {
  const start = text.length <= MAX_PART ? 0 : findStart(text, (hits[0]?.from ?? 0) - BEFORE);
  const end = text.length <= MAX_PART ? text.length : findEnd(text, start + MAX_PART);
  const pieces: Mark['pieces'] = [];
  const add = (part: string, hit: boolean) => {
    if (part !== '') pieces.push({ text: part, hit });
  };
  let at = start;
  for (const { from, to } of hits) {
    if (from >= end) break;
    add((at === start && start > 0 ? MORE : '') + text.slice(at, from), false);
    add(text.slice(from, Math.min(to, end)), true);
    at = Math.min(to, end);
  }
  add(text.slice(at, end) + (end < text.length ? MORE : ''), false);
  return pieces;
}

/** The beginning of a word, if there is one soon after this place. */
function findStart(text: string, at: number): number {
  if (at <= 0) return 0;
  const space = text.slice(at, at + BEFORE / 2).search(/\s/);
  return space >= 0 ? at + space + 1 : notInside(text, at);
}

function findEnd(text: string, at: number): number {
  if (at >= text.length) return text.length;
  return notInside(text, at);
}

/** A character of two units is not cut in half. */
const notInside = (text: string, at: number) => (/[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at);
