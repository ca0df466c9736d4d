/** Where a replica is stored. */
export { openDestination, type ReplicaPlace, sayPlace } from './destination/open.ts';
/** What a replica has. */
export { listGenerations, readSpan } from './history.ts';
/** Ships the data of a running server. */
export { Replica } from './replica.ts';
/** Reads everything in a replica, and says what is damaged. */
export { type CheckedReplica, checkReplica } from './restore/check.ts';
/** Makes a data folder from a replica. */
export { ReplicaError, type RestoredReplica, restoreReplica, sayTime } from './restore/restore.ts';
/** Packs a database of a function for the replica. */
export type { PackDatabase } from './ship/databases/port.ts';
/** What the replica of a server is doing. */
export { isLate, LATE_SECONDS, type ReplicaState, readAge, STATE_FILE } from './state.ts';
