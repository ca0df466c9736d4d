import { AppError } from '../http/index.ts';
import type { Db, Tx } from '../storage/index.ts';
import { addUsage, findUsage } from './store.ts';

export interface Quotas {
  pages: number;
  functions: number;
  bytes: number;
}

/** Notes in the same transaction what a user takes up or gives back, and refuses what would pass a quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: { pages?: number; functions?: number; bytes?: number },
  /** Who asks, when that need not be the user: only the user hears of the quota's size. */
  askedBy?: number,
) => Promise<void>;

/** What a user stores outside our own tables, which counts like the rest. */
export type BytesElsewhere = (userId: number) => number;

export function createChargeUsage(quotas: Quotas, bytesElsewhere: BytesElsewhere): ChargeUsage {
  return async (tx, userId, change, askedBy = userId) => {
    const bytes = quotas.bytes - bytesElsewhere(userId);
    if (await addUsage(tx, userId, change, { ...quotas, bytes })) return;
    throw askedBy === userId ? quotaExceeded(quotas) : ownersQuotaExceeded();
  };
}

/** What a user may store outside our own tables: what those leave of the quota. */
export function createRoomElsewhere(db: Db, quotas: Quotas): (userId: number) => Promise<number> {
  return async (userId) => quotas.bytes - ((await findUsage(db, userId))?.bytes ?? 0);
}

function quotaExceeded(quotas: Quotas): AppError {
  const [pages, functions, bytes] = [quotas.pages, quotas.functions, quotas.bytes].map((limit) =>
    limit.toLocaleString('en'),
  );
  return new AppError(
    'QUOTA_EXCEEDED',
    `This would pass your quota of ${pages} pages, ${functions} functions and ${bytes} stored bytes. Delete something, or ask the administrator for more.`,
  );
}

function ownersQuotaExceeded(): AppError {
  return new AppError(
    'QUOTA_EXCEEDED',
    'The owner of this page has no room left, so nothing can be added to it. Only they can make room.',
  );
}
