/** Takes everything into one archive. */
export { backup } from './backup.ts';
/** Publishes the example pages. */
export { examples } from './examples.ts';
/** Puts an archive into an empty place. */
export { restore } from './restore.ts';
/** Runs the service. */
export { serve } from './serve.ts';
/** What can be called, and the error for what cannot. */
export { CommandError, USAGE, UsageError } from './usage.ts';
/** Manages users. */
export { user } from './user.ts';
