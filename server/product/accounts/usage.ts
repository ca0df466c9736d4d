import { AppError } from '../../lib/errors.ts';
import type { Db, Tx } from '../../platform/storage/index.ts';
import { addUsage, findUsage } from './store.ts';

/** No limit in the database: the largest number that it can count to. */
const MOST_ROWS = 2_147_483_647;
const MOST_BYTES = Number.MAX_SAFE_INTEGER;

/** How much a user can have; infinity means no limit. */
export interface Quotas {
  pages: number;
  functions: number;
  bytes: number;
}

/** Records usage in the same transaction, and refuses what would exceed a quota. */
export type ChargeUsage = (
  tx: Tx,
  userId: number,
  change: { pages?: number; functions?: number; bytes?: number },
  /** The caller, if that may not be the user: only the user sees the size of the quota. */
  askedBy?: number,
) => Promise<void>;

/**
 * What the databases of a user take up without a charge. It counts towards the quota like everything else.
 */
export type DatabaseBytes = (userId: number) => number;

export function createChargeUsage(quotas: Quotas, databaseBytes: DatabaseBytes): ChargeUsage {
  const mostBytes = Math.min(quotas.bytes, MOST_BYTES);
  return async (tx, userId, change, askedBy = userId) => {
    const bytes = mostBytes - databaseBytes(userId);
    const pages = Math.min(quotas.pages, MOST_ROWS);
    const functions = Math.min(quotas.functions, MOST_ROWS);
    if (await addUsage(tx, userId, change, { pages, functions, bytes })) return;
    throw askedBy === userId ? quotaExceeded(quotas) : ownersQuotaExceeded();
  };
}

/** Counts usage without applying the quota, for a restore. */
export const chargeWithoutQuota: ChargeUsage = createChargeUsage(
  { pages: Infinity, functions: Infinity, bytes: Infinity },
  () => 0,
);

/** The rest of a user's quota, for what is not charged. */
export function createRemaining(db: Db, quotas: Quotas): (userId: number) => Promise<number> {
  const mostBytes = Math.min(quotas.bytes, MOST_BYTES);
  return async (userId) => mostBytes - ((await findUsage(db, userId))?.bytes ?? 0);
}

function quotaExceeded({ pages, functions, bytes }: Quotas): AppError {
  const limits = [
    [pages, 'pages'],
    [functions, 'functions'],
    [bytes, 'stored bytes'],
  ] as const;
  const finite = limits.flatMap(([most, what]) =>
    Number.isFinite(most) ? [`${most.toLocaleString('en')} ${what}`] : [],
  );
  return new AppError(
    'QUOTA_EXCEEDED',
    `This would pass your quota of ${new Intl.ListFormat('en-GB').format(finite)}. Delete something, or ask the administrator for more.`,
  );
}

function ownersQuotaExceeded(): AppError {
  return new AppError(
    'QUOTA_EXCEEDED',
    'The owner of this page has used up their quota, so nothing can be added to it. Only they can free some of it.',
  );
}
