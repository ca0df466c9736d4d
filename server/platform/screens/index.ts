export { errorScreen } from './error-screen.ts';
export {
  askedAs,
  brand,
  type Html,
  html,
  inlineHash,
  SCREEN_ICON,
  SCREEN_STYLES,
  screen,
  screenHeaders,
} from './screen.ts';
