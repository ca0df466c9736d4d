import type { Catalog } from '../../../contract/rules/texts/fill.ts';
import { SHORT_KEY_CHARACTERS, toShortKey } from '../../../contract/rules/texts/short-key.ts';

/** What the scripts of the dashboard say, so that each comes with the translations of its own texts only. */

const QUOTES = ['"', "'", '`'];
/** The characters of an escaped character: `\u2019`. */
const MAX_ESCAPE = 6;

/** The texts of a catalog that are literals in a minified script. */
export function findTexts(code: string, catalog: Catalog): Set<string> {
  const longest = MAX_ESCAPE * Math.max(...Object.keys(catalog).map(({ length }) => length));
  const found = new Set<string>();
  // Each quote may begin a literal: only a parser knows which do, and it takes long.
  for (const quote of QUOTES)
    for (let at = code.indexOf(quote); at >= 0; at = code.indexOf(quote, at + 1)) {
      const end = findEnd(code, quote, at);
      if (end < 0 || end - at > longest) continue;
      const text = readLiteral(code.slice(at + 1, end));
      if (Object.hasOwn(catalog, text)) found.add(text);
    }
  return found;
}

function findEnd(code: string, quote: string, start: number): number {
  let end = code.indexOf(quote, start + 1);
  while (end > 0 && code[end - 1] === '\\') end = code.indexOf(quote, end + 1);
  return end;
}

function readLiteral(literal: string): string {
  if (!literal.includes('\\')) return literal;
  const asJson = literal.replace(/\\(['`])/g, '$1').replace(/(?<!\\)"/g, '\\"');
  try {
    return JSON.parse(`"${asJson}"`) as string;
  } catch {
    return literal;
  }
}

/** The short keys that several texts have. These texts are their own keys. */
export function findSharedKeys(texts: string[]): ReadonlySet<string> {
  const keys = texts.map(toShortKey);
  return new Set(keys.filter((key, index) => keys.indexOf(key) !== index));
}

/**
 * A script that adds translations. All keys come before all translations, which are in order: like beside like, so they
 * compress better.
 */
export function toScript(catalog: Catalog, shared: ReadonlySet<string>): string {
  const entries = Object.entries(catalog)
    .filter(([text, translation]) => text !== translation)
    .map(([text, translation]) => ({ text, key: toShortKey(text), translation: JSON.stringify(translation) }))
    .sort((a, b) => (a.translation < b.translation ? -1 : 1));
  if (entries.length === 0) return '';
  const short = entries.filter(({ key }) => !shared.has(key));
  const keys = JSON.stringify(short.map(({ key }) => key).join(''));
  const translations = `[${short.map(({ translation }) => translation).join(',')}]`;
  const others = entries.filter(({ key }) => shared.has(key));
  const whole = `{${others.map(({ text, translation }) => `${JSON.stringify(text)}:${translation}`).join(',')}}`;
  const size = SHORT_KEY_CHARACTERS;
  return `((k,b,o)=>{const c=Object.assign(globalThis.quireTexts??={},o);b.forEach((t,i)=>c[k.slice(i*${size},i*${size}+${size})]=t)})(${keys},${translations},${whole});\n`;
}
