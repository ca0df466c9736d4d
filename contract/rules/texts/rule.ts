import { ENGLISH, phrase, type Text } from './fill.ts';

/** Rules with values, by their English message. Schemas can keep only this message. */
const rules = new Map<string, Text>();

/** The message of a schema's rule. `toRule` finds it again, for translations. */
export function rule(sentence: string, values: Text['values']): string {
  const message = ENGLISH.say(sentence, values);
  rules.set(message, phrase(sentence, values));
  return message;
}

/** The message for a value that is not one of these. */
export const choiceRule = (values: readonly string[]): string =>
  rule('must be one of {values}', { values: values.join(', ') });

export const toRule = (message: string): Text => rules.get(message) ?? { text: message };
