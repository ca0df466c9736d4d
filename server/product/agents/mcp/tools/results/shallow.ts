import { parseJson } from '../../../../../lib/json.ts';

/** Parses JSON. Returns anything else, and JSON that is too deep or too wide to be written again, as text. */
export function parseShallow(text: string): unknown {
  try {
    return parseJson(text, { rounds: true });
  } catch {
    return text;
  }
}
