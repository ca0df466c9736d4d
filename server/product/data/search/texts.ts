import { MAX_SEARCHED_CHARACTERS } from '../../../../contract/rules/limits.ts';
import type { RecordData } from '../../../../contract/rules/record-data.ts';
import { readPath } from '../queries/matches.ts';
import { readWords } from './words.ts';

/** Characters of the words of a record. Some characters become many, and CJK pairs are stored one by one. */
const MAX_STORED = 4 * MAX_SEARCHED_CHARACTERS;

/** The texts of a field: its own, or those of its list. */
export function readTexts(data: RecordData, field: string): string[] {
  const value = readPath(data, field.split('.'));
  return (Array.isArray(value) ? value : [value]).flatMap((each) =>
    typeof each === 'string' ? [each] : typeof each === 'number' ? [String(each)] : [],
  );
}

/** The texts of all fields of a search that are searched. */
export function readAllTexts(data: RecordData, fields: string[]): string[] {
  let left = MAX_SEARCHED_CHARACTERS;
  return fields
    .flatMap((field) => readTexts(data, field))
    .flatMap((text) => {
      if (left <= 0) return [];
      const some = text.slice(0, left);
      left -= some.length;
      return [some];
    });
}

/**
 * The words of texts in their order, between spaces. Two spaces are between texts, so that no words of two texts are
 * together. If German can spell some in another way, all of them follow again, spelled so.
 */
export function toStoredText(texts: string[]): string {
  let plain = '';
  let german = '';
  for (const text of texts) {
    const words: { plain: string[]; german: string[] } = { plain: [], german: [] };
    let length = 0;
    for (const word of readWords(text)) {
      length += word.plain.length + 1;
      if (plain.length + length > MAX_STORED) break;
      words.plain.push(word.plain);
      words.german.push(word.german);
    }
    if (words.plain.length === 0) continue;
    plain += ` ${words.plain.join(' ')} `;
    german += ` ${words.german.join(' ')} `;
  }
  return german === plain ? plain : `${plain}\n${german}`;
}

/** Each word of a stored text, once. */
export const listWords = (stored: string): string[] => [...new Set(stored.split(/[ \n]+/).filter(Boolean))];
