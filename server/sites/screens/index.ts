export { errorScreen } from './error-screen.ts';
export {
  askedAs,
  brand,
  drawIcon,
  type Html,
  html,
  inlineHash,
  lookStyles,
  SCREEN_STYLES,
  screen,
  screenHeaders,
  screenIcon,
} from './screen.ts';
export { sendScript } from './send-script.ts';
/** What the screens say, in the language of the person. */
export { readCatalog } from './texts/catalogs.ts';
export { pickTexts, say, sayError, sayText, t, translated } from './texts/texts.ts';
