/** Everything the dashboard says, in the language of the person. */
export { chooseLanguage, language } from './language.ts';
export { rich, t, translated } from './translate.tsx';
