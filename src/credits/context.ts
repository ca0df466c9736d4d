import type { Actor } from '../http/index.ts';
import type { Db } from '../storage/index.ts';

/** What the verbs of this slice work with. */
export interface CreditsContext {
  db: Db;
  now: () => number;
}

/** Lets a page through that somebody may see, and fails for others; the pages slice knows the rule. */
export type SeePage = (
  pageId: number,
  actor: Actor | undefined,
) => Promise<{ id: number; name: string; slug: string; owner_id: number }>;
