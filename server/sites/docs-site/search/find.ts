import { MAX_QUERY } from '../layout.ts';
import { cutWords, type Part, type Posting, type WordIndex } from './build.ts';

/** A piece of an excerpt. */
interface Piece {
  text: string;
  isMatch: boolean;
}

export interface Found {
  href: string;
  title: string;
  heading: string;
  excerpt: Piece[];
}

const MAX_WORDS = 8;
const MAX_WORD = 40;
/** The words that one beginning can stand for. */
const MAX_ENDINGS = 100;
const MAX_PER_DOCUMENT = 3;
/** With fewer parts that have all words, parts with some of them are found too. */
const ENOUGH = 3;
const EXCERPT = 170;
const BEFORE = 50;
/** Words of questions that are in every text. */
const SMALL_WORDS = new Set('a an and are can do for from how i in is it my of on or the to with'.split(' '));
/** Shorter words are marked only where they are whole. */
const MIN_PREFIX = 3;

/** The points of a word, by where it is: `below` is for the parts of a document with the word in its title. */
const POINTS = { title: 10, below: 2, heading: 6, text: 1 };
/** A word that only begins with what was typed has fewer points. */
const PREFIX_FACTOR = 0.5;

/**
 * Finds the parts of the documents that have all words, the best ones first, and after few such parts those that have some
 * of the words. The last word may be incomplete.
 */
export function search(index: WordIndex, query: string, limit: number): Found[] {
  const words = chooseWords(query);
  if (words.length === 0) return [];
  const matches = words.map((word, at) => matchWord(index, word, at === words.length - 1));
  const scores = scoreParts(index, matches, true);
  const ranked = rank(scores);
  if (scores.size < ENOUGH)
    ranked.push(...rank(scoreParts(index, matches, false)).filter((at) => !scores.has(at)));
  const found: Found[] = [];
  const perDocument = new Map<string, number>();
  for (const at of ranked) {
    const part = index.parts[at];
    if (!part) continue;
    const count = (perDocument.get(part.title) ?? 0) + 1;
    perDocument.set(part.title, count);
    if (count > MAX_PER_DOCUMENT) continue;
    found.push(toFound(part, words));
    if (found.length === limit) break;
  }
  return found;
}

/** The parts with the most points first. */
function rank(scores: Map<number, number>): number[] {
  const sorted = [...scores].sort(([a, left], [b, right]) => right - left || a - b);
  return sorted.map(([at]) => at);
}

/** The words to look for: those that say something, or all of them if none does. */
function chooseWords(query: string): string[] {
  const all = [...cutWords(query.slice(0, MAX_QUERY))].map(({ word }) => word.slice(0, MAX_WORD));
  const telling = all.filter((word) => !SMALL_WORDS.has(word));
  return (telling.length > 0 ? telling : all).slice(0, MAX_WORDS);
}

/** The points of each part for one word. */
function matchWord(index: WordIndex, word: string, isLast: boolean): Map<number, number> {
  const points = new Map<number, number>();
  const add = (postings: Posting[], factor: number) => {
    const rarity = Math.log(1 + index.parts.length / postings.length);
    for (const { part, inTitle, inHeading, count } of postings) {
      const own =
        (inTitle ? (index.parts[part]?.heading === '' ? POINTS.title : POINTS.below) : 0) +
        (inHeading ? POINTS.heading : 0) +
        (count > 0 ? POINTS.text * (1 + Math.log(count)) : 0);
      points.set(part, Math.max(points.get(part) ?? 0, own * rarity * factor));
    }
  };
  add(index.postings.get(word) ?? [], 1);
  if (isLast || points.size === 0)
    for (const longer of findEndings(index.words, word)) add(index.postings.get(longer) ?? [], PREFIX_FACTOR);
  return points;
}

/** The words that begin with a text, without itself. */
function findEndings(words: string[], start: string): string[] {
  let [low, high] = [0, words.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((words[middle] ?? '') < start) low = middle + 1;
    else high = middle;
  }
  const found: string[] = [];
  for (let at = low; at < words.length && found.length < MAX_ENDINGS; at++) {
    const word = words[at] ?? '';
    if (!word.startsWith(start)) break;
    if (word !== start) found.push(word);
  }
  return found;
}

function scoreParts(
  index: WordIndex,
  matches: Map<number, number>[],
  needsAll: boolean,
): Map<number, number> {
  const scores = new Map<number, number>();
  for (const at of new Set(matches.flatMap((points) => [...points.keys()]))) {
    const points = matches.map((match) => match.get(at) ?? 0);
    if (needsAll && points.includes(0)) continue;
    const part = index.parts[at];
    scores.set(at, points.reduce((sum, each) => sum + each, 0) * (part?.weight ?? 0));
  }
  return scores;
}

function findFirst(text: string, isMatch: (word: string) => boolean) {
  for (const found of cutWords(text)) if (isMatch(found.word)) return found;
  return undefined;
}

function toFound({ href, title, heading, text }: Part, words: string[]): Found {
  const isMatch = (word: string) =>
    words.some((each) => word === each || (each.length >= MIN_PREFIX && word.startsWith(each)));
  const first = findFirst(text, isMatch);
  const from = first && first.at > BEFORE ? text.indexOf(' ', first.at - BEFORE) + 1 : 0;
  const end = text.length > from + EXCERPT ? text.lastIndexOf(' ', from + EXCERPT) : text.length;
  const shown = text.slice(from, Math.max(end, from));
  const excerpt: Piece[] = [];
  let at = 0;
  for (const { word, at: start, length } of cutWords(shown)) {
    if (!isMatch(word)) continue;
    if (start > at) excerpt.push({ text: shown.slice(at, start), isMatch: false });
    excerpt.push({ text: shown.slice(start, start + length), isMatch: true });
    at = start + length;
  }
  if (at < shown.length) excerpt.push({ text: shown.slice(at), isMatch: false });
  if (from > 0) excerpt.unshift({ text: '… ', isMatch: false });
  if (end < text.length) excerpt.push({ text: ' …', isMatch: false });
  return { href, title, heading, excerpt };
}
