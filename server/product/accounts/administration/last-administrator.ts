import { AppError } from '../../../lib/errors.ts';
import { lockSetting } from '../../../platform/service-settings/index.ts';
import type { Tx } from '../../../platform/storage/index.ts';
import { countOtherAdministrators, lockUser } from './store.ts';

/** The lock of all changes that can remove the last administrator. */
const LOCK = 'administrators';

/**
 * Fails if the user is the only administrator who can log in. Call this before the user is demoted, suspended or
 * deleted, in the same transaction: until it ends nobody else can do that to another administrator.
 */
export async function assertNotLastAdministrator(tx: Tx, userId: number): Promise<void> {
  await lockSetting(tx, LOCK);
  const user = await lockUser(tx, userId);
  if (user?.is_admin !== 1 || user.suspended_at !== null || user.removal_due_at !== null) return;
  if ((await countOtherAdministrators(tx, userId)) > 0) return;
  throw new AppError(
    'CONFLICT',
    '{username} is the only administrator who can log in. Make another user an administrator first.',
    { username: user.username },
  );
}
