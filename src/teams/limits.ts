import { AppError } from '../http/index.ts';
import type { Tx } from '../storage/index.ts';
import { countFor } from './store.ts';

/** How much of each a page can have. What it has more of from earlier stays. */
const MOST = {
  team_members: [1_000, 'people in its team. Remove somebody first.'],
  team_invites: [100, 'open invites. Take one back first.'],
  team_files: [2_000, 'files. Delete some first.'],
} as const;

/** Refuses one more where there are as many as a page can have; to be asked while the page is locked. */
export async function assertFewer(tx: Tx, table: keyof typeof MOST, pageId: number): Promise<void> {
  const [most, rest] = MOST[table];
  if ((await countFor(tx, table, pageId)) < most) return;
  throw new AppError('QUOTA_EXCEEDED', `A page can have ${most.toLocaleString('en')} ${rest}`);
}
