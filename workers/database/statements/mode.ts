import type { RequestNote } from './traced-calls.ts';

export interface Query {
  sql: string;
  params?: unknown[];
}

/** How statements run. */
export interface Mode {
  asObjects: boolean;
  /** Whether a function has opened the transaction that they are part of. */
  isInside: boolean;
  /** The run of a live call that they are part of. */
  run: string | null;
  /** Where they are noted, if they are part of a trace. */
  note: RequestNote | null;
}
