import { Tiktoken } from 'js-tiktoken/lite';
import o200k from 'js-tiktoken/ranks/o200k_base';

const encoding = new Tiktoken(o200k);

/** The tokens of a text, or of a value as JSON, in the vocabulary o200k of OpenAI's models. */
export function countTokens(value: unknown): number {
  return encoding.encode(typeof value === 'string' ? value : JSON.stringify(value), 'all').length;
}
