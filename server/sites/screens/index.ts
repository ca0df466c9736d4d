export { errorScreen } from './error-screen.ts';
/** The cards of the gallery. */
export { forkPath, GALLERY_STYLES, galleryCards } from './gallery.ts';
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
