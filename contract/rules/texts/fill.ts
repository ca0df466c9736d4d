import type { Language } from './languages.ts';

export type TextValues = Readonly<Record<string, string | number>>;

const PLURAL = /\{(\w+)\|([^|{}]*(?:\{\w+\}[^|{}]*)*)\|([^|{}]*(?:\{\w+\}[^|{}]*)*)\}/g;

/**
 * Puts values into a text.
 * - `{name}` is replaced by the value with that name, and numbers are formatted
 * - `{count|one page|{count} pages}` chooses by the value: the first form for one, the second for any other number
 */
export function createFiller(language: Language): (text: string, values?: TextValues) => string {
  const numbers = new Intl.NumberFormat(language);
  const plurals = new Intl.PluralRules(language);
  return (text, values = {}) =>
    text
      .replace(PLURAL, (_, name: string, one: string, other: string) =>
        plurals.select(Number(values[name])) === 'one' ? one : other,
      )
      .replace(/\{(\w+)\}/g, (whole, name: string) => {
        const value = values[name];
        if (value === undefined) return whole;
        return typeof value === 'number' ? numbers.format(value) : value;
      });
}
