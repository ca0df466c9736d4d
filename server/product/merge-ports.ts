import type { NewSchedule } from '../../contract/functions/schedules.ts';
import type { NewTrigger } from '../../contract/functions/triggers.ts';
import type { AgentFunction } from '../../contract/pages/page-functions.ts';

/** What a merge of a branch compares, as `branches` gets it from pages, functions and data. */

/** A file of a page, for merges. The document is one too. */
export interface MergedFile {
  /** Equal hashes are equal bytes. */
  hash: string;
  size: number;
  /** The text; undefined if it is not text, or too large to compare it. */
  read(): Promise<string | undefined>;
  /** What a merge has made of two texts. It is not stored yet. */
  text?: string;
}

/** What a merge compares of a page. Functions for agents have the names that the page calls them by. */
export interface PageContent {
  files: Map<string, MergedFile>;
  settings: Record<string, string | number>;
  agentFunctions: AgentFunction[];
}

/** What a merge compares of a function. */
export interface FunctionContent {
  name: string;
  description: string;
  schedules: NewSchedule[];
  on: NewTrigger[];
  code: string;
  /** JSON: the sources of further modules by their path. */
  files: string | null;
  isPublic: boolean;
  /** Whether an administrator has taken it down. It is not compared: a merge neither takes down nor restores. */
  takedown: { taken_down_at: number | null; taken_down_reason: string | null };
  /** The database on the side that it comes from. */
  database: number | null;
  /** The version that has this code, already bundled. A merge can make code that no version has. */
  version?: { pageId: number; id: number; version: number };
}

/** What a merge compares of a collection. The columns are JSON. */
export interface CollectionContent {
  schema: string | null;
  rules: string | null;
}
