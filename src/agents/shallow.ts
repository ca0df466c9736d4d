import { isDeeper } from '../lib/depth.ts';

/** To write JSON that is tens of thousands of levels deep takes seconds; nobody means more than this. */
export const MAX_LEVELS = 100;

/** What JSON says; anything else, and what is too deep to be written again, as the text that it is. */
export function parseShallow(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeper(value, MAX_LEVELS) ? text : value;
  } catch {
    return text;
  }
}
