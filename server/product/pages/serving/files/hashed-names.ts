/** Folders in which build tools put files with a hash of their content in their names. */
const FOLDER = /(^|\/)(assets|static|chunks|immutable|_astro|_nuxt|_next|_app)\//;
/** The last part of such a name, and only kinds of files that people seldom name by hand. */
const NAME = /[-.]([\w-]{8,64})\.(?:m?js|css|wasm|woff2?)$/;
const HEX = /^[0-9a-f]{8,64}$/;

/**
 * Whether the name of a file has a hash of its content. People also write names with hyphens: a word, a date or a word
 * with a number at its end is not a hash. A hash that looks like one of them costs a request, a word that looks like a
 * hash would be shown for a year.
 */
export function hasHashedName(path: string): boolean {
  const hash = FOLDER.test(path) && NAME.exec(path)?.[1]?.split('-').at(-1);
  if (!hash || !/\d/.test(hash) || /^\d+$|^[a-z_]+\d+$/i.test(hash)) return false;
  return HEX.test(hash) || (hash.length === 8 && /[A-Z]/.test(hash));
}
