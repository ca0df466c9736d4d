/** Everything the dashboard says, in the language of the person. */
export { chooseLanguage, language } from './language.ts';
export { rich, sayMessage, t, translated } from './translate.tsx';
