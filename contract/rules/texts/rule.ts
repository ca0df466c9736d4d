import { ENGLISH, phrase, type Text } from './fill.ts';

/** Rules with values, by their English message. Schemas can keep only this message. */
const rules = new Map<string, Text>();

/** The message of a schema's rule. `toRule` finds it again, for translations. */
export function rule(sentence: string, values: Text['values']): string {
  const message = ENGLISH.say(sentence, values);
  rules.set(message, phrase(sentence, values));
  return message;
}

export const toRule = (message: string): Text => rules.get(message) ?? { text: message };
