import type { ComponentChildren } from 'preact';
import { createFiller, type TextValues } from '../../contract/rules/texts/fill.ts';
import { createMessageReader } from '../../contract/rules/texts/messages.ts';
import { catalog, language, messages } from './language.ts';

const fill = createFiller(language);

/**
 * A text in the person's language. Write the English text as the argument: it is also the key of its translations.
 * It must be a literal, so that a test can find the ones without a translation. `createFiller` says what it can contain.
 */
export function t(text: string, values?: TextValues): string {
  return fill(catalog[text] ?? text, values);
}

/** A text that the server has, such as the title of a template, if it is known. Otherwise the text as it is. */
export const translated = (text: string): string =>
  (Object.hasOwn(catalog, text) ? catalog[text] : undefined) ?? text;

const readMessage = createMessageReader(messages, fill);

/** A message of the API, if it is known. Otherwise in English, as it is. */
export const sayMessage = (message: string): string => readMessage(message) ?? message;

type Tag = (children: string) => ComponentChildren;

/** The same with elements: `rich('Read <a>the guide</a>.', { a: (text) => <a href="/docs">{text}</a> })`. */
export function rich(text: string, tags: Record<string, Tag>, values?: TextValues): ComponentChildren {
  // Values are put in last, so that nothing in them is read as a tag.
  const parts = (catalog[text] ?? text).split(/<(\w+)>(.*?)<\/\1>/);
  return parts.map((part, index) => {
    if (index % 3 === 0) return fill(part, values);
    if (index % 3 === 1) return undefined;
    return tags[parts[index - 1] ?? '']?.(fill(part, values));
  });
}
