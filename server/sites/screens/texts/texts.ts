import { html, raw } from 'hono/html';
import { sayFailure } from '../../../../contract/errors.ts';
import {
  type Catalog,
  createTranslator,
  ENGLISH,
  type Sentence,
  type TextValues,
  type Translator,
} from '../../../../contract/rules/texts/fill.ts';
import type { Language } from '../../../../contract/rules/texts/languages.ts';
import { AppError } from '../../../lib/errors.ts';
import { language } from '../../../platform/http/index.ts';
import { readCatalog } from './catalogs.ts';

interface Speaker extends Translator {
  catalog: Catalog;
}

const speakers = new Map<Language, Speaker>([['en', { catalog: {}, ...ENGLISH }]]);

/** The texts of the screen's language. They are read when the first person asks for them. */
function speaker(): Speaker {
  const known = speakers.get(language());
  if (known) return known;
  const catalog = readCatalog(language(), ['errors', 'screens']);
  const read = { catalog, ...createTranslator(language(), catalog) };
  speakers.set(language(), read);
  return read;
}

/**
 * A text in the language of the screen. Write the English text as the argument, as a literal: it is also the key of its
 * translations. `createTranslator` says what it can contain.
 */
export const t = (text: string, values?: TextValues): string => speaker().say(text, values);

/** A text that was written elsewhere, such as the label of a field. */
export const translated = (text: string): string => speaker().say(text);

/** A text with its values that was made elsewhere. */
export const sayText = ({ text, values }: Sentence): string => speaker().say(text, values);

/** Translations for a script that says these texts itself. */
export function pickTexts(texts: readonly string[]): Catalog {
  const { catalog } = speaker();
  return Object.fromEntries(texts.map((text) => [text, catalog[text] ?? text]));
}

/** The message of an error. */
export const sayError = (error: Error): string =>
  error instanceof AppError ? sayFailure(error.toBody(), speaker()) : translated(error.message);

/**
 * HTML in the language of the screen. Each value is escaped, unless it is HTML itself. The key is the
 * template with `{0}` for its first value: `say` with "Log in to <em>[value]</em>" has the key `Log in to
 * <em>{0}</em>`.
 */
export function say(parts: TemplateStringsArray, ...values: unknown[]): ReturnType<typeof html> {
  const key = toKey(parts);
  if (!speaker().has(key)) return html(parts, ...values);
  const pieces = speaker()
    .find(key)
    .split(/\{(\d+)\}/);
  const texts = pieces.filter((_, index) => index % 2 === 0);
  const order = pieces.filter((_, index) => index % 2 === 1).map(Number);
  return html`${texts.map((text, index) => html`${raw(text)}${index < order.length ? values[order[index] ?? 0] : ''}`)}`;
}

const toKey = (parts: readonly string[]) =>
  parts.reduce((text, part, index) => `${text}{${index - 1}}${part}`);
