import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage, UsageChange } from '../../ports.ts';
import { addUsage, countUsage, findUsage } from './store.ts';

/** Stand for "no limit" in the database: the largest numbers that it can count to. */
const MOST_ROWS = 2_147_483_647;
const MOST_BYTES = Number.MAX_SAFE_INTEGER;
const NOTHING = { pages: 0, functions: 0, bytes: 0 };
const NO_LIMIT = { pages: MOST_ROWS, functions: MOST_ROWS, bytes: MOST_BYTES };

/** How much a user can have; infinity means no limit. */
export interface Quotas {
  pages: number;
  functions: number;
  bytes: number;
}

/**
 * The bytes of a user's databases, which are not charged. They count towards the quota like everything else.
 */
export type DatabaseBytes = (userId: number) => number;

/** What is in the usage of these users and does not count: copies of pages that are tried for some minutes. */
export type ReadCopied = (db: Db, userIds: readonly number[]) => Promise<Map<number, Quotas>>;

/** A usage without the copies in it. */
export function withoutCopies<Row extends Quotas>(row: Row, copied: Quotas | undefined): Row {
  if (!copied) return row;
  const rest = (key: keyof Quotas) => Math.max(0, row[key] - copied[key]);
  return { ...row, pages: rest('pages'), functions: rest('functions'), bytes: rest('bytes') };
}

interface UsageOptions {
  quotas: Quotas;
  databaseBytes: DatabaseBytes;
  readCopied: ReadCopied;
}

/** Creates the functions that charge and read usage. */
export const createUsage = (options: UsageOptions & { db: Db }) => ({
  chargeUsage: createChargeUsage(options),
  remaining: createRemaining(options.db, options),
  readUsage: createUsageReader(options.db, options),
});

/** Creates the function that charges usage. `quotas` are those of users who have none of their own. */
function createChargeUsage({ quotas, databaseBytes, readCopied }: UsageOptions): ChargeUsage {
  const service = inDatabase(quotas);
  return async (tx, userId, change, askedBy = userId) => {
    const limits = { service, noLimit: NO_LIMIT, databaseBytes: databaseBytes(userId), copied: NOTHING };
    const isAdded = async () => {
      if (await addUsage(tx, userId, change, limits)) return true;
      // Most users have no copies, so these are read only for somebody who has reached a limit.
      const copied = (await readCopied(tx, [userId])).get(userId);
      return copied !== undefined && addUsage(tx, userId, change, { ...limits, copied });
    };
    if (!(await isAdded())) {
      if (askedBy !== userId) throw ownersQuotaExceeded();
      throw quotaExceeded(effective(quotas, await findUsage(tx, userId)));
    }
    if (isNew(change)) await assertActive(tx, userId);
  };
}

const isNew = ({ pages = 0, functions = 0 }: UsageChange) => pages > 0 || functions > 0;

/**
 * Fails if the account is suspended. The charge waits for a suspension in progress, so a page that is created at
 * the same moment is either blocked with everything else or refused here.
 */
async function assertActive(tx: Tx, userId: number): Promise<void> {
  const user = await findUsage(tx, userId);
  if (user?.suspended_at === null && user.removal_due_at === null) return;
  throw new AppError('FORBIDDEN', 'This account is suspended, or about to be deleted.');
}

/** Counts usage without applying the quota, for a restore. */
export const chargeWithoutQuota: ChargeUsage = (tx, userId, change) => countUsage(tx, userId, change);

/** Creates the function that reads the rest of a user's quota, for storage that is not charged. */
function createRemaining(
  db: Db,
  { quotas, readCopied }: Pick<UsageOptions, 'quotas' | 'readCopied'>,
): (userId: number) => Promise<number> {
  return async (userId) => {
    const usage = await findCounted(db, userId, readCopied);
    return Math.min(effective(quotas, usage).bytes, MOST_BYTES) - (usage?.bytes ?? 0);
  };
}

/** Creates the function that reads a user's usage and their quota in bytes: null without a limit. */
export function createUsageReader(db: Db, { quotas, databaseBytes, readCopied }: UsageOptions) {
  return async (userId: number) => {
    const usage = await findCounted(db, userId, readCopied);
    const { bytes } = effective(quotas, usage);
    return {
      pages: usage?.pages ?? 0,
      functions: usage?.functions ?? 0,
      bytes: (usage?.bytes ?? 0) + databaseBytes(userId),
      quota: Number.isFinite(bytes) ? bytes : null,
    };
  };
}

async function findCounted(db: Db, userId: number, readCopied: ReadCopied) {
  const usage = await findUsage(db, userId);
  return usage && withoutCopies(usage, (await readCopied(db, [userId])).get(userId));
}

type OwnQuotas = Record<'quota_pages' | 'quota_functions' | 'quota_bytes', number | null>;

/** The quotas of a user: their own, or those of the service. */
export function effective(service: Quotas, own: OwnQuotas | undefined): Quotas {
  const choose = (mine: number | null | undefined, ours: number) => (mine === 0 ? Infinity : (mine ?? ours));
  return {
    pages: choose(own?.quota_pages, service.pages),
    functions: choose(own?.quota_functions, service.functions),
    bytes: choose(own?.quota_bytes, service.bytes),
  };
}

const inDatabase = (quotas: Quotas): Quotas => ({
  pages: Math.min(quotas.pages, MOST_ROWS),
  functions: Math.min(quotas.functions, MOST_ROWS),
  bytes: Math.min(quotas.bytes, MOST_BYTES),
});

function quotaExceeded({ pages, functions, bytes }: Quotas): AppError {
  const finite = [
    [pages, phrase('{count} pages', { count: pages })],
    [functions, phrase('{count} functions', { count: functions })],
    [bytes, phrase('{count} stored bytes', { count: bytes })],
  ] as const;
  const [first = '', second = '', third = ''] = finite.flatMap(([most, what]) =>
    Number.isFinite(most) ? [what] : [],
  );
  return new AppError(
    'QUOTA_EXCEEDED',
    third
      ? 'This would exceed your quota of {first}, {second} and {third}. Delete something, or ask the administrator for more.'
      : second
        ? 'This would exceed your quota of {first} and {second}. Delete something, or ask the administrator for more.'
        : 'This would exceed your quota of {first}. Delete something, or ask the administrator for more.',
    { first, ...(second && { second }), ...(third && { third }) },
  );
}

function ownersQuotaExceeded(): AppError {
  return new AppError(
    'QUOTA_EXCEEDED',
    'The owner of this page has used up their quota, so nothing can be added to it. Only they can free some of it.',
  );
}
