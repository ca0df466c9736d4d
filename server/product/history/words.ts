import { ENGLISH, type Text } from '../../../contract/rules/texts/fill.ts';

/** What people read about moments: in English, with what is needed to translate it. */
export interface Said {
  text: string;
  sentence: string;
  values: Record<string, string | number>;
}

export const toSaid = ({ text, values = {} }: Text): Said => ({
  text: ENGLISH.say(text, values),
  sentence: text,
  values,
});

/** A column has a text without values as it is, and another one as JSON. */
export const storeText = (text: Text): string => (text.values ? JSON.stringify(text) : text.text);

export const readText = (stored: string): Said =>
  toSaid(stored.startsWith('{') ? (JSON.parse(stored) as Text) : { text: stored });
