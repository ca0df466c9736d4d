import { AppError } from '../http/index.ts';
import type { Tx } from '../storage/index.ts';
import { addUsage } from './store.ts';

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
) => Promise<void>;

export function createChargeUsage(quotas: Quotas): ChargeUsage {
  return async (tx, userId, change) => {
    if (await addUsage(tx, userId, change, quotas)) return;
    throw new AppError(
      'QUOTA_EXCEEDED',
      `This would pass your quota of ${quotas.pages.toLocaleString('en')} pages, ${quotas.functions.toLocaleString('en')} functions and ${quotas.bytes.toLocaleString('en')} stored bytes. Delete something, or ask the administrator for more.`,
    );
  };
}
