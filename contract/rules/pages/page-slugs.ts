/** Letters that Unicode does not decompose but people spell in ASCII. */
const SPELLINGS: Record<string, string> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ħ: 'h',
  ı: 'i',
  ŋ: 'ng',
  ŧ: 't',
};

export const MAX_SLUG_LENGTH = 100;

/** A text as a slug of any length: lower case, diacritics folded, spaces to hyphens, everything else removed. */
export function spelledOut(text: string): string {
  const slug = text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/\p{L}/gu, (letter) => SPELLINGS[letter] ?? letter)
    .replace(/\s+/g, '-')
    .replace(/[^a-z0-9-]/g, '')
    .replace(/-+/g, '-');
  return trimHyphens(slug);
}

/** The slug of a text, cut to the length that slugs have. Undefined if fewer than two characters remain. */
export function slugify(text: string): string | undefined {
  const trimmed = trimHyphens(spelledOut(text).slice(0, MAX_SLUG_LENGTH));
  return trimmed.length >= 2 ? trimmed : undefined;
}

/** The slug that is meant by one with capitals or trailing slashes. */
export function canonicalSlug(written: string): string {
  let end = written.length;
  while (written[end - 1] === '/') end--;
  return written.slice(0, end).toLowerCase();
}

/** The part of numbered slugs before the number, cut so that the longest number still fits. */
export function slugStem(slug: string): string {
  return `${trimHyphens(slug.slice(0, MAX_SLUG_LENGTH - '-9999999'.length))}-`;
}

function trimHyphens(slug: string): string {
  return slug.replace(/^-+|-+$/g, '');
}
