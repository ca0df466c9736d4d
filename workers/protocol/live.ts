/** What the server and the workers agree on for live calls: calls that run again when the tables they read have changed. */

/**
 * On a call that the server sends to the probe: the run of a live call. The client of the database sends it with each
 * statement of the run.
 */
export const LIVE_RUN_HEADER = 'x-quire-live-run';

/** A run caused by a write of another run comes after this many rounds. Runs that cause each other must end. */
export const formatRun = (round: number, id: string) => `${round}-${id}`;
export const parseRun = (run: string) => Number.parseInt(run, 10) || 0;

/** A line of a database that is watched: the tables that were written, and the run that did it, if one did. */
export type LiveChanges = Record<string, string | null>;
/** The key of `LiveChanges`, and the name among the tables that were read, that stands for all tables. */
export const ALL_TABLES = '*';

/** The name of the method of `env.DB` with which the shim starts a run. */
export const RUN_LIVE = 'quire.runLive';
