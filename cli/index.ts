/** Runs one command and tells with which code to end. */
export { run } from './run.ts';
/** The commands that call a server. */
export { clientCommands } from './table.ts';
