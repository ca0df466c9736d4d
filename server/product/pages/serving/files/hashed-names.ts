/** Folders that only generators make, for files that never change. */
const FOR_EVER = /(^|\/)(_astro|_nuxt|_next\/static|_app\/immutable)\//;
/** Folders in which build tools put files with a hash of their content in their names. */
const FOLDER = /(^|\/)(assets|static|chunks|immutable)\//;
/** The end of a name with a hash, for files that people seldom name by hand. VitePress also writes `.lean.js` files. */
const NAME = /[-.]([\w-]{8,64})(?:\.lean)?\.(?:m?js|css|wasm|woff2?)$/;
const HEX = /^[0-9a-f]{8,64}$/;
/** Eight letters that are hardly words such as `useState` or `LoadXMLs`: many capitals, and one small letter among them. */
const NO_WORD = /^(?=[A-Za-z]{8}$)(?=(?:[a-z]*[A-Z]){4}).*[A-Z][a-z][A-Z]/;

/**
 * Whether the name of a file has a hash of its content. People also write names with hyphens: a word, a date or a word
 * with a number at its end is not a hash. A hash that looks like one of them costs a request, a word that looks like a
 * hash would be shown for a year.
 */
export function hasHashedName(path: string): boolean {
  if (FOR_EVER.test(path)) return true;
  const hash = FOLDER.test(path) && NAME.exec(path)?.[1]?.split('-').at(-1);
  if (!hash || /^\d+$|^[a-z_]+\d+$/i.test(hash)) return false;
  if (!/\d/.test(hash)) return NO_WORD.test(hash);
  return HEX.test(hash) || (hash.length === 8 && /[A-Z]/.test(hash));
}
