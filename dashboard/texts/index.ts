/** Everything the dashboard says, in the language of the person. */
export { language } from './language.ts';
export { rich, t } from './translate.tsx';
