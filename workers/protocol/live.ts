/** What the server and the workers agree on for live calls: calls that run again when the tables they read have changed. */

/**
 * On a call that the server sends to the probe: the run that it is part of. The client of the database sends it with each
 * statement, and the services in `env` with all that the call asks for: what causes each other must end.
 */
export const RUN_HEADER = 'x-quire-run';

/** How many runs of live calls and deliveries of changes led to a run. Deliveries have no id. */
export const formatRun = (round: number, id = '') => `${round}-${id}`;
export const parseRun = (run: string) => Number.parseInt(run, 10) || 0;
export const hasId = (run: string) => !run.endsWith('-');

/** A line of a database that is watched: the tables that were written, and the run that did it, if one did. */
export type LiveChanges = Record<string, string | null>;
/** The key of `LiveChanges`, and the name among the tables that were read, that stands for all tables. */
export const ALL_TABLES = '*';

/** The name of the method of `env.DB` and of services with which the shim starts a call that is part of a run. */
export const START_RUN = 'quire.startRun';
