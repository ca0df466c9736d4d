import type { Quota } from './quota/quota.ts';

/** What differs between a host of one owner and a host in a cluster. */
export interface HostPolicy {
  quota: Quota;
  /** Runs scripts piece by piece, so that the other databases of the host do not have to wait. */
  runsScriptsInPieces: boolean;
  /** Throws if the database is elsewhere. Called directly before something runs. */
  assertHere(): void;
  /** Whether the host shuts down, so that nothing new may begin. */
  isDraining(): boolean;
  /** Called before each statement. */
  beforeStatement(): void;
  /** Returns what counts the characters that a transaction has in memory. It throws if its owner has too many. */
  countPending(): (difference: number) => void;
  /** The bytes that all databases of the host use, for the server to know. */
  usage(): number | undefined;
}

/** What the engine counts. */
export interface Counters {
  /** Rows changed since the database was opened. */
  changes: number;
  lastRowId: number;
  bytes: number;
}
