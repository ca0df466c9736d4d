/** Control characters, text direction, and everything else that is not seen or pretends to be a space. */
const UNSEEN = /[\p{C}\p{Default_Ignorable_Code_Point}\u2800]/gu;
const GAPS = /[\p{Z}\s]+/gu;
/** Marks stacked on one letter, which cover the lines above. */
const PILES = /(\p{M}{2})\p{M}+/gu;

/** A name that a stranger chose, so that it cannot look like anything else than a name. */
export function displayName(text: string, maxLetters: number): string {
  const clean = text.normalize('NFC').replace(GAPS, ' ').replace(UNSEEN, '').replace(PILES, '$1').trim();
  const letters = [...clean];
  return letters.length <= maxLetters
    ? clean
    : `${letters
        .slice(0, maxLetters - 1)
        .join('')
        .trim()}…`;
}
