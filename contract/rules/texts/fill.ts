import { withCommas } from '../text.ts';

/** A text with its values. The English text, with places for the values, is the key of its translations. */
export interface Text<Value = string | number> {
  text: string;
  values?: Readonly<Record<string, Value>> | undefined;
}

/** Values by the name of their place. A value that is a text itself is translated too. */
export type TextValues = Readonly<Record<string, string | number | Text>>;

/** A text whose values can be texts. */
export type Sentence = Text<TextValues[string]>;

/** Marks a text that is translated where it is shown. The sentence must be a literal: a test looks for its translations. */
export const phrase = <Value extends string | number | Text = string | number>(
  sentence: string,
  values?: Readonly<Record<string, Value>>,
): Text<Value> => (values ? { text: sentence, values } : { text: sentence });

/** A translation: the text, or its forms by the category of the number in it. With two numbers, forms have forms. */
export type Translation = string | { readonly [category: string]: Translation };

/** Translations by their English text. */
export type Catalog = Readonly<Record<string, Translation>>;

/** Finds the translation of a text, where the texts themselves are not the keys. */
export type Lookup = (text: string) => Translation | undefined;

export interface Translator {
  /** A text in the language, with its values. Without a translation, it is in English. */
  say(text: string, values?: TextValues): string;
  /** Whether a text has a translation. */
  has(text: string): boolean;
  /** The form of a text that fits the values, which are not in it yet. */
  find(text: string, values?: TextValues): string;
  /** Puts values into a form. */
  fill(form: string, values?: TextValues): string;
}

const PLURAL = /\{(\w+)\|([^|{}]*(?:\{\w+\}[^|{}]*)*)\|([^|{}]*(?:\{\w+\}[^|{}]*)*)\}/g;

/**
 * Finds translations and puts values into them.
 * - `{name}` is replaced by the value with that name, and numbers are formatted
 * - In English texts, `{count|one page|{count} pages}` chooses by the value: the first form for one, the second for any
 *   other number. Translations have an object instead, with a form for each category of `Intl.PluralRules`
 */
export function createTranslator(language: string, catalog: Catalog | Lookup): Translator {
  let plurals: Intl.PluralRules | undefined;
  let numbers: Intl.NumberFormat | undefined;
  const category = (value: unknown) => {
    plurals ??= new Intl.PluralRules(language);
    return plurals.select(Number(value));
  };
  const show = (value: string | number | Text): string => {
    if (typeof value === 'string') return value;
    if (typeof value === 'object') return say(value.text, value.values);
    // Making a format reads data of all languages, which delays the first error of a server.
    if (language === 'en' && Number.isInteger(value)) return withCommas(value);
    numbers ??= new Intl.NumberFormat(language);
    return numbers.format(value);
  };
  const look: Lookup =
    typeof catalog === 'function'
      ? catalog
      : (text) => (Object.hasOwn(catalog, text) ? catalog[text] : undefined);
  const has = (text: string) => look(text) !== undefined;
  const find = (text: string, values: TextValues = {}): string => {
    let found = look(text);
    if (found === undefined)
      return text.replace(PLURAL, (_, name: string, one: string, other: string) =>
        Number(values[name]) === 1 ? one : other,
      );
    for (const name of countsIn(text)) {
      if (typeof found === 'string') break;
      found = found[category(values[name])] ?? found.other ?? '';
    }
    return typeof found === 'string' ? found : text;
  };
  const fill = (form: string, values: TextValues = {}) =>
    form.replace(/\{(\w+)\}/g, (whole, name: string) => {
      const value = values[name];
      return value === undefined ? whole : show(value);
    });
  const say = (text: string, values?: TextValues) => fill(find(text, values), values);
  return { say, has, find, fill };
}

/** The names of the numbers that a text depends on, in their order. */
export const countsIn = (text: string): string[] => [
  ...new Set([...text.matchAll(PLURAL)].map(([, name = '']) => name)),
];

/** Texts in English, as in the code: for logs and programs. */
export const ENGLISH: Translator = createTranslator('en', {});
