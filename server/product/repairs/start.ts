import type { PageError } from '../../../contract/analytics/analytics.ts';
import type { KeptContext } from '../../../contract/analytics/visits.ts';
import { REPAIRS_PER_DAY } from '../../../contract/repairs/kinds.ts';
import type { StartRepair } from '../../../contract/repairs/repairs.ts';
import { ACCOUNT_SCOPE, FEATURES_SCOPE } from '../../../contract/scopes.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { PageRow, RepairRow, Tx } from '../../platform/storage/index.ts';
import type { RepairCaller, RepairsContext } from './context.ts';
import { newReport } from './report.ts';
import { countSince, findUnderWay, insertRepair } from './store.ts';

export const DAY_MS = 24 * 3600 * 1000;
/** A repair whose node has not renewed it for this long was lost. */
export const LEASE_MS = 30_000;
const NAME_BYTES = 4;

/** An error with what led to it. */
export type Repairable = PageError & { context: KeptContext };

export interface Admitted {
  main: PageRow;
  error: Repairable;
  row: RepairRow;
}

/** Notes that a repair begins. Fails with the reason if it must not. */
export async function admitRepair(
  context: RepairsContext,
  caller: RepairCaller,
  { id, fingerprint, data }: StartRepair & { id: string; fingerprint: string },
): Promise<Admitted> {
  const { db, now, pages } = context;
  const { actor } = caller;
  const main = await pages.require(db, await pages.find(db, id), actor, 'own');
  assertOn(main);
  assertMaySpend(caller);
  context.builder.assertAvailable();
  const error = await context.findError(main.id, fingerprint);
  if (!error) throw notFound('This error was not found.');
  const { context: kept } = error;
  if (!kept)
    throw new AppError(
      'CONFLICT',
      'What led to this error was not kept, so it cannot be made to happen again. It is kept when it happens the next time.',
    );
  if ((await context.readCredits(actor.userId)) <= 0)
    throw new AppError(
      'QUOTA_EXCEEDED',
      'You have too few credits for this. Ask the people who run this server for more.',
    );
  const row = makeRow({ main, error, data, by: actor.userId, now: now() });
  await db.transaction().execute(async (tx) => {
    if (!(await pages.lock(tx, main.id))) throw notFound('This page was not found.');
    await assertFree(tx, main.id, now());
    await insertRepair(tx, row);
  });
  return { main, error: { ...error, context: kept }, row };
}

function makeRow(given: {
  main: PageRow;
  error: PageError;
  data: StartRepair['data'];
  by: number;
  now: number;
}): RepairRow {
  const { main, error, data, by, now } = given;
  const random = Buffer.from(crypto.getRandomValues(new Uint8Array(NAME_BYTES))).toString('hex');
  return {
    ...{ id: crypto.randomUUID(), page_id: main.id, fingerprint: error.fingerprint, message: error.message },
    ...{ data, state: 'running', report: JSON.stringify(newReport()) },
    ...{ branch: `repair-${random}`, branch_page_id: null, created_by: by },
    ...{ started_at: now, ended_at: null, claimed_until: now + LEASE_MS },
  };
}

function assertOn({ repair, branch_of }: PageRow): void {
  if (branch_of !== null)
    throw new AppError(
      'CONFLICT',
      'A branch has no branches. Use the page that it is a branch of, which has the id {id}.',
      { id: String(branch_of) },
    );
  if (repair === 1) return;
  throw new AppError(
    'CONFLICT',
    'Repairs are off for this page. Its owner turns them on in its settings, or with PATCH /api/pages/:id and "repair": true.',
  );
}

/** Fails unless the token may spend credits: a token of a login, or one with a limit. */
function assertMaySpend({ actor }: RepairCaller): void {
  if (actor.scopes.includes(ACCOUNT_SCOPE) || actor.scopes.includes(FEATURES_SCOPE)) return;
  throw new AppError(
    'INSUFFICIENT_SCOPE',
    'The builder spends your credits. Use a token with the scope {scope} and a creditLimit.',
    { scope: FEATURES_SCOPE },
    { body: { scope: FEATURES_SCOPE } },
  );
}

async function assertFree(tx: Tx, pageId: number, now: number): Promise<void> {
  if (await findUnderWay(tx, pageId))
    throw new AppError(
      'CONFLICT',
      'An error of this page is being repaired. Wait until that has ended, or stop it.',
    );
  if ((await countSince(tx, pageId, now - DAY_MS)) >= REPAIRS_PER_DAY)
    throw new AppError(
      'RATE_LIMITED',
      'Errors of this page were repaired {count} times in a day, which is the limit. Try again tomorrow.',
      { count: REPAIRS_PER_DAY },
    );
}
