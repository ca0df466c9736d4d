/** Opens pages in a sandboxed Chromium and reports what happens. */
export { Browser, type Visit } from './browser.ts';
/** Finds the browser's program. */
export { findChromium, NoBrowserError } from './find-chromium.ts';
