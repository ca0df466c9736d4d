/** The languages of the interface, each by its own name. English texts are in the code; the others are catalogs. */
export const LANGUAGES = { en: 'English', de: 'Deutsch' } as const;

export type Language = keyof typeof LANGUAGES;

/** The cookie with the language that a person chose. Without it, the browser's languages decide. */
export const LANGUAGE_COOKIE = 'quire_language';

export const isLanguage = (name: string | undefined): name is Language =>
  name !== undefined && Object.hasOwn(LANGUAGES, name);
