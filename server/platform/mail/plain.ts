import { displayName } from '../../lib/display-name.ts';

/** Text longer than this many times its limit is cut before it is read: strangers choose its length. */
const READ_LETTERS = 4;
const MAX_NAME = 80;

/**
 * Text that somebody else chose, on one line and without anything that a mail program makes into a link. Otherwise a
 * page or a message could bring its link to people in our name.
 */
export function plain(text: string, maxLetters: number): string {
  const name = displayName(text.slice(0, READ_LETTERS * maxLetters), maxLetters);
  return name
    .replace(/:(?=\/\/)/g, ':\u200b')
    .replace(/@(?=\S)/g, '@\u200b')
    .replace(/(?<=[^\s.])\.(?=[\p{L}\p{N}])/gu, '.\u200b');
}

/** A name that somebody else chose, which is short. */
export const plainName = (text: string): string => plain(text, MAX_NAME);
