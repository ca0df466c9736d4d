import type { ComponentChildren } from 'preact';
import { type Fault, type SaidFailure, sayFailure } from '../../contract/errors.ts';
import { createTranslator, type Sentence, type TextValues } from '../../contract/rules/texts/fill.ts';
import { findTranslation, language } from './language.ts';

const translator = createTranslator(language, findTranslation);
const { say, find, fill } = translator;

/**
 * A text in the person's language. Write the English text as the argument: it is also the key of its translations.
 * It must be a literal, so that a test can find the ones without a translation. `createTranslator` says what it can
 * contain.
 */
export const t = (text: string, values?: TextValues): string => say(text, values);

/** A text that was made elsewhere, such as the title of a template or a fault of a value. */
export const translated = ({ text, values }: Sentence): string => say(text, values);

/** What is wrong with a value. */
export const sayFault = ({ message, text = message, values }: Fault): string => say(text, values);

/** The message of an error response. */
export const sayMessage = (failure: SaidFailure): string => sayFailure(failure, translator);

type Tag = (children: string) => ComponentChildren;

/** The same with elements: `rich('Read <a>the guide</a>.', { a: (text) => <a href="/docs">{text}</a> })`. */
export function rich(text: string, tags: Record<string, Tag>, values?: TextValues): ComponentChildren {
  // Values are put in last, so that nothing in them is read as a tag.
  const parts = find(text, values).split(/<(\w+)>(.*?)<\/\1>/);
  return parts.map((part, index) => {
    if (index % 3 === 0) return fill(part, values);
    if (index % 3 === 1) return undefined;
    return tags[parts[index - 1] ?? '']?.(fill(part, values));
  });
}
