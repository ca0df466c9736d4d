import type { Catalog, Lookup } from '../../contract/rules/texts/fill.ts';
import { isLanguage, LANGUAGE_COOKIE, type Language } from '../../contract/rules/texts/languages.ts';
import { toShortKey } from '../../contract/rules/texts/short-key.ts';

/** The document that the server sent: it states the language, and loads the catalog before this script. */
const page = globalThis as {
  document?: { documentElement: { lang: string } };
  quireTexts?: Catalog;
};
const stated = page.document?.documentElement.lang;

/** The language that the server chose for this person. */
export const language: Language = isLanguage(stated) ? stated : 'en';

/** The translations of the language: by short keys in the dashboard, and by texts on the login screen. English has none. */
const catalog: Catalog = (language !== 'en' && page.quireTexts) || {};
const findKey = (key: string) => (Object.hasOwn(catalog, key) ? catalog[key] : undefined);

let onMiss = () => {};
/** Sets what is done when a text has no translation yet: those of the service's own sentences load later. */
export const whenMissing = (act: () => void) => {
  onMiss = act;
};

export const findTranslation: Lookup = (text) => {
  if (language === 'en') return undefined;
  const found = findKey(text) ?? findKey(toShortKey(text));
  if (found === undefined) onMiss();
  return found;
};

const YEAR_SECONDS = 365 * 86_400;

/** Chooses the language for this browser, and loads the screen again in it. */
export function chooseLanguage(chosen: Language): void {
  const secure = location.protocol === 'https:' ? '; Secure' : '';
  // biome-ignore lint/suspicious/noDocumentCookie: not every browser has the Cookie Store API
  document.cookie = `${LANGUAGE_COOKIE}=${chosen}; Path=/; Max-Age=${YEAR_SECONDS}; SameSite=Lax${secure}`;
  location.reload();
}
