/**
 * Counts tokens without the vocabulary of a model, which is larger than the rest of the server. The pieces are those
 * that tokenizers cut a text into first; each has about as many tokens as here, or fewer.
 */

/** Codes such as base64, words with the mark before them, numbers of up to three digits, marks, and space. */
const PIECE =
  /[\w+/=-]{48,96}|[^\r\n\p{L}\p{N}]?(?:\p{Lu}{0,32}[\p{Ll}\p{M}]{1,32}|\p{Lu}{1,32}|[\p{Lo}\p{Lm}\p{Lt}]{1,32})|\p{N}{1,3}| ?[^\s\p{L}\p{N}]{1,32}[\r\n]{0,4}|\s{1,64}/gu;
const ASCII = /^\p{ASCII}*$/u;

const CODE_LETTERS = 48;
const CODE_LETTERS_PER_TOKEN = 1.4;
/** Letters of common words, which are one token. */
const WORD = 6;
const LETTERS_PER_TOKEN = 5;
/** Marks of each token, such as those between two fields of JSON. */
const MARKS_PER_TOKEN = 2;
const BYTES_PER_OTHER_TOKEN = 2.5;

/** The length of the longest beginning of a text that has at most this many tokens. */
export function lengthWithin(text: string, tokens: number): number {
  if (tokens === Number.POSITIVE_INFINITY) return text.length;
  let left = tokens;
  for (const { 0: piece, index } of text.matchAll(PIECE)) {
    left -= countPiece(piece);
    if (left < 0) return index;
  }
  return text.length;
}

function countPiece(piece: string): number {
  if (!ASCII.test(piece)) return Math.ceil(Buffer.byteLength(piece) / BYTES_PER_OTHER_TOKEN);
  if (piece.length >= CODE_LETTERS) return Math.ceil(piece.length / CODE_LETTERS_PER_TOKEN);
  if (/[a-z]/i.test(piece)) return piece.length <= WORD ? 1 : Math.ceil(piece.length / LETTERS_PER_TOKEN);
  if (/\d/.test(piece)) return 1;
  return Math.ceil(piece.trim().length / MARKS_PER_TOKEN) || 1;
}
