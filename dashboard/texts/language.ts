/** The languages of the interface. English texts are in the code; each other language is a catalog beside this file. */
export type Language = 'en';

/** The language that the server chose for this person. */
export const language: Language = 'en';

/** The translations of the language, by their English text. English has none. */
export const catalog: Readonly<Record<string, string>> = {};
