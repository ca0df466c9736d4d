import type { Generated, Selectable } from 'kysely';
import type { BRANCH_STEPS, BranchData } from '../../../../contract/pages/branches/branches.ts';

/** The tables of branches: copies of pages, to try changes on. */

export interface BranchesTable {
  /** The page that is the branch. */
  page_id: number;
  of_page_id: number;
  name: string;
  /** The time of the moment that changes are compared with. */
  base_at: number;
  /** The page that this moment is of, if it is not the main page: the branch itself, once it was merged. */
  base_page_id: Generated<number | null>;
  /** JSON: what records and databases are compared with, if it is another moment, and the bases before merges. */
  bases: Generated<string>;
  data: BranchData;
  /** What is being done to make it, or `ready`. */
  step: (typeof BRANCH_STEPS)[number];
  /** JSON: the databases to fill, each with the snapshot that it starts from. */
  plan: string;
  created_by: number | null;
  created_at: number;
  /** When it was last seen to be used, and how many views it had then. */
  used_at: number;
  used_views: Generated<number>;
  /** When its owner was told that it is about to be deleted. */
  warned_at: Generated<number | null>;
  /** Set if it is removed by itself then. Such branches are in no list. */
  expires_at: number | null;
  /** What it has added to the usage of its owner then, which does not count. */
  copied_functions: Generated<number>;
  copied_bytes: Generated<number>;
  /** While it is made: if its node has not renewed this, the node was lost. */
  claimed_until: number;
}

export type BranchRow = Selectable<BranchesTable>;

/** Mail that functions of branches would have sent. */
export interface BranchMailsTable {
  id: Generated<number>;
  page_id: number;
  at: number;
  /** JSON: the addresses. */
  recipients: string;
  subject: string;
  text: string;
  html: string | null;
}

/** Repairs of errors by the builder, on branches. */
export interface RepairsTable {
  id: string;
  page_id: number;
  /** The error, as it was when the repair began. */
  fingerprint: string;
  message: string;
  data: 'masked' | 'all';
  /** `stopping`: somebody has stopped it, and its node has not ended it yet. */
  state: 'running' | 'stopping' | 'ended';
  /** JSON: how far it is, its outcome and its evidence. */
  report: string;
  /** The name of its branch. */
  branch: string;
  /** Null while there is no branch, and when it was removed. */
  branch_page_id: number | null;
  created_by: number | null;
  started_at: number;
  ended_at: number | null;
  /** If its node has not renewed this, the node was lost. */
  claimed_until: number;
}

export type RepairRow = Selectable<RepairsTable>;
