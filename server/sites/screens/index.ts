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
/** What the screens say, in the language of the person. */
export { say, t, translated } from './texts/texts.ts';
