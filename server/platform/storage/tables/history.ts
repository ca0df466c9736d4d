import type { Generated, Selectable } from 'kysely';
import type { CauseKind, RESTORE_STEPS } from '../../../../contract/pages/history/moments.ts';

/** The tables of moments: the states of applications at certain times. */

export interface MomentsTable {
  id: Generated<number>;
  page_id: number;
  /** Later than that of the moment before, also if the clock was set back. */
  at: number;
  /** Set if the moment is kept until somebody deletes it. */
  name: string | null;
  /** Why it was kept; null if only because something had changed. */
  cause_kind: CauseKind | null;
  cause_by: number | null;
  cause_text: string;
  /** An `ApplicationState` as JSON. */
  state: string;
  size: number;
}

export type MomentRow = Selectable<MomentsTable>;

/** The snapshots of databases that a moment needs. */
export interface MomentSnapshotsTable {
  moment_id: number;
  snapshot_id: number;
}

/** The restores of pages that run, and the last one of each page. */
export interface RestoresTable {
  id: Generated<number>;
  page_id: number;
  user_id: number | null;
  /** The time of the moment that is restored. */
  at: number;
  /** The time of the moment before; null until it is kept, and nothing has changed. */
  undo_at: number | null;
  /** JSON: the parts to restore. */
  parts: string;
  /** JSON: the only collections to restore; null for all. */
  collections: string | null;
  step: (typeof RESTORE_STEPS)[number];
  /** JSON: the branch and what is taken of it, if this is a merge and not a restore. */
  merge: Generated<string | null>;
  /** JSON: what it has changed so far. */
  changes: string | null;
  error: string | null;
  started_at: number;
  finished_at: number | null;
  /** If its node has not renewed this, the node was lost, and another one goes on. */
  claimed_until: number;
  /** How often it was taken over. Only the node that did so last may go on. */
  claims: Generated<number>;
  /** How often it has failed since it began, or since it began to be undone. */
  tries: Generated<number>;
}

export type RestoreRow = Selectable<RestoresTable>;

/** Versions of deleted functions that moments need. */
export interface RemovedFunctionsTable {
  page_id: number;
  function_id: number;
  version: number;
  is_public: number;
  code: string;
  files: string | null;
  bundle: string | null;
  source_map: string | null;
  size: number;
  removed_at: number;
  taken_down_at: number | null;
  taken_down_reason: string | null;
}
