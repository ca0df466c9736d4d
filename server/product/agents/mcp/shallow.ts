import { parseJson } from '../../../lib/json.ts';

/** What JSON says; anything else, and what is too deep or too wide to be written again, as the text that it is. */
export function parseShallow(text: string): unknown {
  try {
    return parseJson(text, { rounds: true });
  } catch {
    return text;
  }
}
