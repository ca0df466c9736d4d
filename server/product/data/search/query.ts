import { fault } from '../../../../contract/errors.ts';
import { MAX_SEARCH_WORDS } from '../../../../contract/rules/limits.ts';
import { badRequest } from '../../../lib/errors.ts';
import { readWords, type Word } from './words.ts';

/** What `q` asks for. A record must have all terms. */
export type SearchQuery = Term[];

/** A word, or several that must be next to each other. */
export interface Term {
  words: Word[];
  /** True if the last word can be longer. */
  isOpen: boolean;
}

const TERMS = /["“”„]([^"“”„]*)["“”„]|(\S+)/g;

/** Parses `q`: words, of which each can be the beginning of a longer one, and words in quotes. */
export function parseSearch(q: string): SearchQuery {
  const terms: SearchQuery = [];
  for (const [, quoted, bare] of q.matchAll(TERMS)) {
    const words = [...readWords(quoted ?? bare ?? '')];
    const last = words.at(-1);
    // Only at the end of a text is the last character a word on its own.
    if (last?.script === 'last') words.pop();
    if (!last) continue;
    terms.push({ words, isOpen: quoted === undefined || last.script === 'only' });
  }
  if (terms.length > MAX_SEARCH_WORDS)
    throw badRequest([fault('q', 'has more than {max} words', { max: MAX_SEARCH_WORDS })]);
  return terms;
}

/** How a word can be written. */
export const listSpellings = ({ plain, german }: Word): string[] =>
  plain === german ? [plain] : [plain, german];

/** The parts of a stored text of which one must be there, for a term of several words. */
export function listPhrases({ words, isOpen }: Term): string[] {
  if (words.length === 1) return [];
  const write = (spelling: 'plain' | 'german') =>
    ` ${words.map((word) => word[spelling]).join(' ')}${isOpen ? '' : ' '}`;
  return [...new Set([write('plain'), write('german')])];
}
