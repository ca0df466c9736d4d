/** A screen's head in one line. */
export { FullScreenButton, useFullScreen } from './full-screen.tsx';
export { EditableName } from './name.tsx';
export { BarAddress, ScreenBar } from './screen-bar.tsx';
export { BarTabs, type Tab } from './tabs.tsx';
