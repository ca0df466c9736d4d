import { phrase } from '../../../contract/rules/texts/fill.ts';
import { AppError } from '../../lib/errors.ts';
import type { Tx } from '../../platform/storage/index.ts';
import { countFor } from './store.ts';

/** The most members, invites and files of a page. A page that already has more keeps them. */
const MOST = {
  team_members: [1_000, phrase('A page can have {count} people in its team. Remove someone first.')],
  team_invites: [100, phrase('A page can have {count} open invites. Revoke one first.')],
  team_files: [2_000, phrase('A page can have {count} files. Delete some first.')],
} as const;

/** Fails if the page is at the limit. Call it while the page is locked. */
export async function assertFewer(tx: Tx, table: keyof typeof MOST, pageId: number): Promise<void> {
  const [count, { text }] = MOST[table];
  if ((await countFor(tx, table, pageId)) < count) return;
  throw new AppError('QUOTA_EXCEEDED', text, { count });
}
