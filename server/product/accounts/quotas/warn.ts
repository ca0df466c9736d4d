import { STORAGE_WARNINGS } from '../../../../contract/rules/limits.ts';
import type { Mail } from '../../../platform/mail/index.ts';
import { type Db, eachRow } from '../../../platform/storage/index.ts';
import { listUsage, setWarned } from './store.ts';
import { type DatabaseBytes, effective, type Quotas, type ReadCopied } from './usage.ts';

/** Users that one query reads. */
const AT_ONCE = 200;
/** Who uses less than this again is warned again at each percentage. */
const RESET_BELOW = 75;

interface WarnContext {
  db: Db;
  mail: Pick<Mail, 'send'>;
  baseUrl: string;
  databaseBytes: DatabaseBytes;
  readCopied: ReadCopied;
  quotas: Quotas;
}

/** Warns users by mail whose storage is almost full: once for each percentage. */
export async function warnOfQuotas(context: WarnContext, isStopping: () => boolean): Promise<void> {
  const { db, quotas, databaseBytes, readCopied } = context;
  for await (const row of eachRow(listUsage(db), { by: 'usage.user_id', size: AT_ONCE })) {
    if (isStopping()) return;
    const quota = effective(quotas, row).bytes;
    // Only users with functions have databases, whose size is not in the row.
    const bytes = row.bytes + (row.functions > 0 ? databaseBytes(row.user_id) : 0);
    const next = chooseLevel(row.warned_percent, (100 * bytes) / quota);
    if (next === row.warned_percent) continue;
    // A copy that is gone in some minutes is nothing to write about. The next look comes after it.
    if ((await readCopied(db, [row.user_id])).size === 0) await note(context, row, { next, bytes, quota });
  }
}

/** The percentage that a user has been warned at, after they were warned as they should be. */
export function chooseLevel(warned: number, percent: number): number {
  if (percent < RESET_BELOW) return 0;
  const reached = STORAGE_WARNINGS.filter((level) => percent >= level).at(-1) ?? 0;
  return Math.max(warned, reached);
}

type Row = Awaited<ReturnType<ReturnType<typeof listUsage>['execute']>>[number];

async function note(
  { db, mail, baseUrl }: WarnContext,
  row: Row,
  { next, bytes, quota }: { next: number; bytes: number; quota: number },
): Promise<void> {
  const { user_id: userId, username, email: to } = row;
  const isReached =
    row.email_confirmed_at !== null && row.suspended_at === null && row.removal_due_at === null;
  await db.transaction().execute(async (tx) => {
    if (!(await setWarned(tx, userId, row.warned_percent, next))) return;
    if (next < row.warned_percent || !isReached) return;
    const link = `${baseUrl}/account/storage`;
    const message = { kind: 'storage almost full', username, percent: next, bytes, quota, link } as const;
    await mail.send(tx, { to, userId, message });
  });
}
