/** Text prepared for a card. */
export interface CardText {
  text: string;
  isRightToLeft: boolean;
}

const MAX_CODE_POINTS_IN_ONE = 12;
/** Made on first use, because that reads large tables. */
let segmenter: Intl.Segmenter | undefined;
const RIGHT_TO_LEFT =
  /[\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}\p{Script=Adlam}]/u;
/** Flags, keycaps and pictographs. Unicode also counts digits and a few others as emoji, but they are text. */
const EMOJI = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;

/** Control characters, unassigned characters and direction marks. */
const INVISIBLE = /[\p{Cc}\p{Co}\p{Cn}\ufffd\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069\ufeff]/gu;
/** Keycaps, variants and skin tones. */
const EMOJI_PARTS = /\u20e3|[\ufe00-\ufe0f]|[\u{1f3fb}-\u{1f3ff}]/gu;

/** The characters as a reader would count them. */
export function graphemes(text: string): string[] {
  segmenter ??= new Intl.Segmenter('und', { granularity: 'grapheme' });
  return Array.from(segmenter.segment(text), ({ segment }) => segment);
}

export function isEmoji(grapheme: string): boolean {
  return EMOJI.test(grapheme);
}

/**
 * Makes one line of plain text, cut to a number of characters. Removes control characters, direction marks, skin tones
 * (emoji are drawn in one colour) and stacked accents.
 */
export function cleanText(text: string, maxGraphemes: number): string {
  // Cut before it is split into characters: no real character is longer than this.
  const flat = text
    .slice(0, maxGraphemes * 40)
    .toWellFormed()
    .normalize('NFC')
    .replace(/\s+/g, ' ')
    .replace(INVISIBLE, '')
    .replace(EMOJI_PARTS, '');

  const all = graphemes(flat.trim());
  const kept = all.slice(0, maxGraphemes).map((one) => [...one].slice(0, MAX_CODE_POINTS_IN_ONE).join(''));
  return kept.join('').trim() + (all.length > maxGraphemes ? '…' : '');
}

/** Removes characters that cannot be drawn. Empty if no letter, digit or emoji remains. */
export function withoutMissing(text: string, missing: ReadonlySet<string>): string {
  const kept = graphemes(text).filter((one) => ![one, ...one].some((part) => missing.has(part)));
  const left = kept.join('').replace(/\s+/g, ' ').trim();
  return /[\p{L}\p{N}]/u.test(left) || EMOJI.test(left) || missing.size === 0 ? left : '';
}

/** Detects the text direction by the first letter, as browsers do for `dir="auto"`. */
export function direct(text: string): CardText {
  const first = /\p{L}/u.exec(text)?.[0] ?? '';
  const isRightToLeft = RIGHT_TO_LEFT.test(first);
  // The layout engine does not mirror paired brackets. Direction marks on both sides keep them in the right place.
  return { text: isRightToLeft ? text.replace(/[()[\]{}]/g, '\u200f$&\u200f') : text, isRightToLeft };
}

/** The approximate width of the longest unbreakable run, relative to the font size. */
export function longestWord(text: string): number {
  return Math.max(...text.split(BREAKS).map(measure));
}

/** Lines break at spaces and hyphens, and next to every Chinese and Japanese character. */
const BREAKS = /[\s-]|(?=[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}])|(?<=[\p{Script=Han}])/u;

function measure(text: string): number {
  return graphemes(text).reduce((sum, one) => sum + estimateWidth(one), 0);
}

/** Scripts whose letters are about as wide as Latin ones. All others are assumed to be wide. */
const USUAL =
  /[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Hebrew}\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Thai}\p{Script=Common}]/u;

function estimateWidth(grapheme: string): number {
  if (isEmoji(grapheme)) return 1.1;
  if (
    /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\u3000-\u303f\uff00-\uff60]/u.test(
      grapheme,
    )
  ) {
    return 1;
  }
  if (/[MWmw@%\u0428\u0429\u0416\u042e]/.test(grapheme)) return 0.95;
  if (/\p{Lu}/u.test(grapheme)) return 0.7;
  if (/[iIljtfr.,:;'!|()[\]]/.test(grapheme)) return 0.36;
  return USUAL.test(grapheme) ? 0.58 : 0.95;
}
