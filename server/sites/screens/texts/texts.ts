import { html, raw } from 'hono/html';
import { createFiller, type TextValues } from '../../../../contract/rules/texts/fill.ts';
import { GERMAN_MESSAGES } from '../../../../contract/rules/texts/german-messages.ts';
import { LANGUAGES, type Language } from '../../../../contract/rules/texts/languages.ts';
import { createMessageReader } from '../../../../contract/rules/texts/messages.ts';
import { language } from '../../../platform/http/index.ts';
import { GERMAN } from './de/index.ts';

/** Translations by their English text. English has none. */
const CATALOGS: Record<Language, Readonly<Record<string, string>>> = {
  // A message can be any text, even the name of a property that every object has.
  en: Object.create(null),
  de: Object.assign(Object.create(null), GERMAN),
};

/** Messages of the API that contain values. */
const MESSAGES: Record<Language, Readonly<Record<string, string>>> = { en: {}, de: GERMAN_MESSAGES };

const speakers = Object.fromEntries(
  (Object.keys(LANGUAGES) as Language[]).map((language) => {
    const fill = createFiller(language);
    const read = createMessageReader(MESSAGES[language], fill);
    return [language, { catalog: CATALOGS[language], fill, read }];
  }),
) as Record<Language, Speaker>;

interface Speaker {
  catalog: Readonly<Record<string, string>>;
  fill: ReturnType<typeof createFiller>;
  read: ReturnType<typeof createMessageReader>;
}

const speaker = () => speakers[language()];

/**
 * A text in the language of the screen. Write the English text as the argument, as a literal: it is also the key of its
 * translations. `createFiller` says what it can contain.
 */
export function t(text: string, values?: TextValues): string {
  const { catalog, fill } = speaker();
  return fill(catalog[text] ?? text, values);
}

/**
 * A text that was written elsewhere: the label of a field, or the message of an error. Most messages are for programs too
 * and stay English; those that people often see are translated.
 */
export function translated(message: string): string {
  const { catalog, read } = speaker();
  return catalog[message] ?? read(message) ?? message;
}

/**
 * HTML in the language of the screen. Each value is escaped, unless it is HTML itself. The key is the
 * template with `{0}` for its first value: `say` with "Log in to <em>[value]</em>" has the key `Log in to
 * <em>{0}</em>`.
 */
export function say(parts: TemplateStringsArray, ...values: unknown[]): ReturnType<typeof html> {
  const translation = speaker().catalog[keyOf(parts)];
  if (translation === undefined) return html(parts, ...values);
  const pieces = translation.split(/\{(\d+)\}/);
  const texts = pieces.filter((_, index) => index % 2 === 0);
  const order = pieces.filter((_, index) => index % 2 === 1).map(Number);
  return html`${texts.map((text, index) => html`${raw(text)}${index < order.length ? values[order[index] ?? 0] : ''}`)}`;
}

const keyOf = (parts: readonly string[]) =>
  parts.reduce((text, part, index) => `${text}{${index - 1}}${part}`);
