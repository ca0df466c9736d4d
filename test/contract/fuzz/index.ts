/** Sends a real server everything its description allows, and much that it does not. */
export { fuzz, type Report } from './fuzz.ts';
/** The result in words. */
export { reportLines } from './report.ts';
