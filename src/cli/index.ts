/** Runs one command and tells with which code to end. */
export { run } from './run.ts';
/** All commands. */
export { COMMANDS } from './table.ts';
