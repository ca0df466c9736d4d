/** Sends a real server everything its description allows, and much that it does not. */
export { fuzz, type Report, tryEach } from './fuzz.ts';
/** The result in words. */
export { reportLines } from './report.ts';
