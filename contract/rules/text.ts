/** Counts characters as people do: an emoji outside the basic plane is one, not two. */
export function characterCount(text: string): number {
  let count = text.length;
  for (let i = 0; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xd800) count--;
  }
  return count;
}

/** True when every engine can store the text unchanged: no NUL (PostgreSQL), no lone surrogate (UTF-8). */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

const encoder = new TextEncoder();

/** Bytes of the text in UTF-8. */
export const byteLength = (text: string) => encoder.encode(text).length;

/** A whole number as people write it: 1,000,000. `toLocaleString` reads data of all languages, which delays every start. */
export const withCommas = (value: number): string => String(value).replace(/\B(?=(\d{3})+$)/g, ',');
