/** Publishes the example pages. */
export { examples } from './examples.ts';
/** Runs the service. */
export { serve } from './serve.ts';
/** What can be called, and the error for what cannot. */
export { CommandError, USAGE, UsageError } from './usage.ts';
/** Manages users. */
export { user } from './user.ts';
