/** Everything the dashboard says, in the language of the person. */

export { loadErrorTexts } from './error-texts.ts';
export { chooseLanguage, language, whenMissing } from './language.ts';
export { rich, sayFault, sayMessage, t, translated } from './translate.tsx';
