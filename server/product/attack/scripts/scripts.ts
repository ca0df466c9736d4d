import { randomInt } from 'node:crypto';
import type { FieldSchema } from '../../../../contract/data/collection-schema.ts';
import { compilePattern } from '../../../../contract/rules/pattern.ts';
import { words } from '../source/invent.ts';
import { takesMarkup } from '../source/patterns.ts';

/** Texts that run as scripts where a page takes them for HTML or for an address. They tell only the console. */

export interface Script {
  text: string;
  /** What it writes to the console. */
  says: string;
}

/** The rules for a text in a record. */
export type TextRules = Pick<FieldSchema & { type: 'string' }, 'minLength' | 'maxLength' | 'pattern'>;

/** Scripts for HTML, in an attribute too: the longest first, because it works in the most places. */
const HTML: Array<(mark: string) => Script> = [
  (mark) => ({ text: `"'><img src=x onerror="console.error('ran ${mark}')">`, says: `ran ${mark}` }),
  shorten((number) => `"'><img src onerror=console.log(${number})>`),
  shorten((number) => `<img src onerror=console.log(${number})>`),
  shorten((number) => `<img/src/onerror=console.log(${number})>`),
];

const LINK = (mark: string): Script => ({
  text: `javascript:console.error('ran ${mark}')`,
  says: `ran ${mark}`,
});

function shorten(write: (number: number) => string): () => Script {
  return () => {
    const number = randomInt(100_000, 1_000_000);
    return { text: write(number), says: String(number) };
  };
}

const ADDRESSES = ['url', 'uri', 'href', 'link', 'website', 'homepage', 'web', 'site', 'source'];

/** Whether the name of a field says that it holds an address. */
export const isAddress = (name: string) =>
  words(name).some((word) => ADDRESSES.includes(word.replace(/s$/, '')));

/** Scripts that a text can be by its rules. */
export function fitScripts(mark: string, rules: TextRules = {}): Script[] {
  return HTML.map((write) => write(mark)).flatMap((script) => fit(script, rules));
}

export const fitLinks = (mark: string, rules: TextRules = {}): Script[] => fit(LINK(mark), rules);

function fit({ text, says }: Script, { minLength = 0, maxLength, pattern }: TextRules): Script[] {
  const padded = text.padEnd(minLength, ' .');
  if (maxLength !== undefined && padded.length > maxLength) return [];
  if (pattern !== undefined && !compilePattern(pattern)?.matcher(padded).find()) return [];
  return [{ text: padded, says }];
}

/** Whether a text that none of our scripts fits can still become HTML: then something was not tried. */
export const mayHoldMarkup = (sample: string, { pattern }: TextRules): boolean =>
  pattern === undefined || takesMarkup(pattern, sample);
