import type { EmbeddingProvider } from '../provider.ts';
import { estimateTokens } from '../usage.ts';

const DIMENSIONS = 64;
/** The offset and the factor of FNV-1a, which spreads short texts well. */
const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;

/** Vectors of the words of a text: the same text has the same one, and texts that share words are near each other. */
export const demoEmbeddings: EmbeddingProvider = {
  embed: async ({ texts }) => ({
    vectors: texts.map(toVector),
    tokens: texts.reduce((sum, text) => sum + estimateTokens(text), 0),
  }),
};

function toVector(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [text]) {
    const place = hash(word) % DIMENSIONS;
    vector[place] = (vector[place] ?? 0) + 1;
  }
  const length = Math.hypot(...vector);
  return vector.map((value) => value / length);
}

function hash(word: string): number {
  let value = FNV_OFFSET;
  for (const byte of Buffer.from(word)) value = Math.imul(value ^ byte, FNV_PRIME) >>> 0;
  return value;
}
