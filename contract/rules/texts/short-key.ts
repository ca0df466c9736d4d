/** Characters of a short key: 31 bits, so that two of some thousand texts hardly ever have the same. */
export const SHORT_KEY_CHARACTERS = 6;

const KEYS = 36 ** SHORT_KEY_CHARACTERS;
const FNV_START = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** A key of always the same length for a text, so that a browser need not load the text to find its translation. */
export function toShortKey(text: string): string {
  let hash = FNV_START;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME);
  return ((hash >>> 0) % KEYS).toString(36).padStart(SHORT_KEY_CHARACTERS, '0');
}
