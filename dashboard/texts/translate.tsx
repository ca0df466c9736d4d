import type { ComponentChildren } from 'preact';
import { catalog, language } from './language.ts';

type Value = string | number;

const numbers = new Intl.NumberFormat(language);
const plurals = new Intl.PluralRules(language);

/**
 * A text in the person's language. Write the English text as the argument: it is also the key of its translations.
 * - `{name}` is replaced by the value with that name, and numbers are formatted
 * - `{count|one page|{count} pages}` chooses by the value: the first form for one, the second for any other number
 *
 * The text must be a literal, so that a test can find the ones without a translation.
 */
export function t(text: string, values: Record<string, Value> = {}): string {
  return fill(catalog[text] ?? text, values);
}

const PLURAL = /\{(\w+)\|([^|{}]*(?:\{\w+\}[^|{}]*)*)\|([^|{}]*(?:\{\w+\}[^|{}]*)*)\}/g;

function fill(text: string, values: Record<string, Value>): string {
  return text
    .replace(PLURAL, (_, name: string, one: string, other: string) =>
      plurals.select(Number(values[name])) === 'one' ? one : other,
    )
    .replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      if (value === undefined) return whole;
      return typeof value === 'number' ? numbers.format(value) : value;
    });
}

type Tag = (children: string) => ComponentChildren;

/** The same with elements: `rich('Read <a>the guide</a>.', { a: (text) => <a href="/docs">{text}</a> })`. */
export function rich(
  text: string,
  tags: Record<string, Tag>,
  values: Record<string, Value> = {},
): ComponentChildren {
  // Values are put in last, so that nothing in them is read as a tag.
  const parts = (catalog[text] ?? text).split(/<(\w+)>(.*?)<\/\1>/);
  return parts.map((part, index) => {
    if (index % 3 === 0) return fill(part, values);
    if (index % 3 === 1) return undefined;
    return tags[parts[index - 1] ?? '']?.(fill(part, values));
  });
}
