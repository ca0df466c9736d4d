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

/** Letters and signs that look like another letter: first that letter, then those that look like it. */
const ALIKE = [
  'aаαɑ@4',
  'bЬƄ8',
  'cсϲ',
  'dԁɗ',
  'eеєε3',
  'gɡցԍ',
  'hһհ',
  'ilіιıӏɩɪ1|!',
  'jјʝ',
  'kкκ',
  'nոռ',
  'oоοօ0',
  'pрρ',
  'qԛգզɋ9',
  'rгɾʀ',
  'sѕꜱ5$',
  'tтτ7',
  'uυսʋᴜцμ',
  'vνѵᴠ',
  'wԝѡᴡ',
  'xхχ',
  'yуγү',
  'zᴢ2',
].flatMap((letters) => [...letters].map((letter) => [letter, letters[0] ?? ''] as const));
const LETTERS = new Map(ALIKE);

/** Where the alphabet begins in white letters on a circle, on a square, and in letters of flags. */
const BOXED = [0x1f150, 0x1f170, 0x1f1e6];

/** Turns letters that Unicode has as pictures into letters. */
export function unboxed(text: string): string {
  return text.replace(/[\u{1f150}-\u{1f169}\u{1f170}-\u{1f189}\u{1f1e6}-\u{1f1ff}]/gu, (picture) => {
    const code = picture.codePointAt(0) ?? 0;
    const start = BOXED.findLast((first) => first <= code) ?? code;
    return String.fromCharCode(0x61 + code - start);
  });
}

/** What a person reads at a glance: equal for texts that look alike, whatever letters, spaces and marks are in them. */
export function skeleton(text: string): string {
  const plain = [...text.normalize('NFKD').toLowerCase()].map((letter) => LETTERS.get(letter) ?? letter);
  return plain
    .join('')
    .replace(/[^\p{L}\p{N}]/gu, '')
    .replaceAll('rn', 'm')
    .replaceAll('vv', 'w');
}
