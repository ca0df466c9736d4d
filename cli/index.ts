/** Runs one command and returns its exit code. */
export { run } from './run.ts';
/** The commands that call a server. */
export { clientCommands } from './table.ts';
