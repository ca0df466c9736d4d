/** Asks a real server everything that its description allows, and much that it does not. */
export { fuzz, type Report } from './fuzz.ts';
/** What came of it, for people. */
export { reportLines } from './report.ts';
