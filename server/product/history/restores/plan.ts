import {
  type NotRestored,
  PARTS,
  type Part,
  type RestoreChanges,
} from '../../../../contract/pages/history/moments.ts';
import { dashed, findStorageType } from '../../../../contract/rules/storage-modes.ts';
import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { PageRow, RestoreRow, Tx } from '../../../platform/storage/index.ts';
import type { RestoredFunctions } from '../../moment-ports.ts';
import type { ChargeUsage } from '../../ports.ts';
import type { HistoryContext } from '../context.ts';
import { type ApplicationState, type DatabaseState, listDatabases, type RestorePlan } from '../state.ts';
import { toSaid } from '../words.ts';

/** What of a moment is restored. */
export interface RestoreRequest {
  at: number;
  parts: readonly Part[];
  collections: readonly string[] | undefined;
  /** Who restores it. Null if they have no account any more. */
  by: number | null;
}

export const toRequest = (
  row: Pick<RestoreRow, 'at' | 'parts' | 'collections' | 'user_id'>,
): RestoreRequest => ({
  at: row.at,
  by: row.user_id,
  parts: JSON.parse(row.parts) as Part[],
  collections: row.collections === null ? undefined : (JSON.parse(row.collections) as string[]),
});

/**
 * The parts that somebody restores: everything they may change, or what they name. Whoever can publish a page can bring
 * it and its records back. Functions and databases belong to the owner.
 */
export function chooseParts(actor: Actor, page: PageRow, named: readonly Part[] | undefined): Part[] {
  const type = findStorageType(page.storage_mode);
  const missing = (part: Part): AppError | undefined => {
    if (part === 'page') return undefined;
    const isOwn = part === 'functions' || part === 'databases';
    if (isOwn && actor.userId !== page.owner_id) return notTheOwner();
    const scope = isOwn ? 'functions:write' : type && `${dashed(type)}:write`;
    return scope === undefined || actor.scopes.includes(scope) ? undefined : lacksScope(scope);
  };
  if (!named) return PARTS.filter((part) => !missing(part));
  for (const part of named) {
    const refusal = missing(part);
    if (refusal) throw refusal;
  }
  return PARTS.filter((part) => named.includes(part));
}

const notTheOwner = () =>
  new AppError(
    'FORBIDDEN',
    'Only the owner of this page can restore its functions and databases. Restore the parts page and records.',
  );

const lacksScope = (scope: string) =>
  new AppError(
    'INSUFFICIENT_SCOPE',
    'This token lacks the scope {scope}, which this also needs. Ask for it when you get the token.',
    { scope },
    { body: { scope } },
  );

/** Brings back the page and its functions in one transaction, and says what else there is to do. */
export async function restoreVersions(
  context: HistoryContext,
  tx: Tx,
  page: { id: number; by: number | null },
  state: ApplicationState,
  { parts }: Pick<RestoreRequest, 'parts'>,
  charge?: ChargeUsage,
): Promise<RestorePlan & { changedFunctions: number[] }> {
  const { pages, functions } = context.parts();
  const row = await context.directory.lock(tx, page.id);
  if (!row) throw notFound('This page was not found.');
  const settings =
    parts.includes('page') && differs(state.page.settings, (await pages.read(tx, row)).settings);
  const version = parts.includes('page')
    ? await pages.restore(tx, row, state.page, { by: page.by ?? row.owner_id, charge })
    : undefined;
  const restored = parts.includes('functions')
    ? await functions.restore(tx, row, state.functions, { charge })
    : undefined;
  const databases = parts.includes('databases')
    ? await planDatabases(context, tx, row, state, restored)
    : { replacing: [], missing: [] };
  const { replacing } = databases;
  return {
    changes: {
      ...(version !== undefined && { page_version: version }),
      settings,
      functions: restored?.functions ?? [],
      records: 0,
      databases: replacing.flatMap((each) => each.functions),
      ...listOldCopies(replacing),
      created: 0,
      updated: 0,
      deleted: 0,
      collections: [],
      made_again: restored?.madeAgain ?? [],
      not_restored: [
        ...(restored?.notRestored ?? []).map(({ slug, reason }) => toNotRestored('functions', slug, reason)),
        ...databases.missing,
      ],
    },
    replacing,
    changedFunctions: restored?.changed ?? [],
  };
}

/** The times of databases that were copied before the moment. */
function listOldCopies(databases: readonly DatabaseState[]): Pick<RestoreChanges, 'database_times'> {
  const old = databases.flatMap(({ functions, asOf }) =>
    asOf === undefined ? [] : functions.map((slug) => [slug, toTimestamp(asOf)]),
  );
  return old.length === 0 ? {} : { database_times: Object.fromEntries(old) };
}

const differs = (one: object, other: object) => JSON.stringify(one) !== JSON.stringify(other);

export function toNotRestored(part: Part, name: string, why: Text): NotRestored {
  const { text, ...said } = toSaid(why);
  return { part, name, reason: text, ...said };
}

/** The databases to replace: those that the page still has, or has again. */
async function planDatabases(
  { parts }: HistoryContext,
  tx: Tx,
  page: PageRow,
  state: ApplicationState,
  restored: RestoredFunctions | undefined,
) {
  const present = listDatabases(await parts().functions.read(tx, page));
  const copies = new Map(state.databases.map((each) => [each.database, each]));
  const replacing: DatabaseState[] = [];
  const missing: RestoreChanges['not_restored'] = [];
  for (const [database, slugs] of listDatabases(state.functions)) {
    const copy = copies.get(database);
    const now = restored?.databases.get(database) ?? database;
    if (copy && present.has(now)) replacing.push({ ...copy, database: now });
    else
      missing.push(
        ...slugs.map((slug) =>
          toNotRestored(
            'databases',
            slug,
            copy
              ? phrase('Its database was deleted.')
              : phrase('There is no copy of its database from that time.'),
          ),
        ),
      );
  }
  return { replacing, missing };
}

const tooOld = ({ name, since }: { name: string; since: number }) =>
  toNotRestored(
    'records',
    name,
    phrase('What records were is known since {since} only.', { since: toTimestamp(since) }),
  );

const onlyOwner = (name: string) =>
  toNotRestored(
    'records',
    name,
    phrase('By the rules of this collection, only the owner of the page can change all its records.'),
  );

/** Adds what happens to records to a plan. */
export async function countRecords(
  { parts }: HistoryContext,
  pageId: number,
  request: RestoreRequest,
  plan: RestorePlan,
): Promise<RestorePlan> {
  const { records } = parts();
  if (!request.parts.includes('records')) return plan;
  const counted = await records.count(pageId, request.at, request);
  const { refused, tooOld: old, ...numbers } = counted;
  const sum = numbers.created + numbers.updated + numbers.deleted;
  const not_restored = [...plan.changes.not_restored, ...refused.map(onlyOwner), ...old.map(tooOld)];
  return { ...plan, changes: { ...plan.changes, ...numbers, records: sum, not_restored } };
}

/** The collections that a restore leaves as they are. Undoing it leaves them, too. */
export const listLeftCollections = ({ changes }: RestorePlan) =>
  changes.not_restored.flatMap(({ part, name }) => (part === 'records' ? [name] : []));

/** What a restore has done so far. */
export const readPlan = ({ changes }: Pick<RestoreRow, 'changes'>): RestorePlan =>
  changes === null ? EMPTY : (JSON.parse(changes) as RestorePlan);

export const EMPTY: RestorePlan = {
  changes: {
    settings: false,
    functions: [],
    records: 0,
    databases: [],
    created: 0,
    updated: 0,
    deleted: 0,
    collections: [],
    made_again: [],
    not_restored: [],
  },
  replacing: [],
};

/** Something of the page was changed after the moment before a merge was kept. */
export class ChangedMeanwhile extends Error {}

export const alreadyRunning = () =>
  new AppError(
    'CONFLICT',
    'This page is being restored or merged already. Wait until that has ended, then try again.',
  );

export const failed = ({ merge }: Pick<RestoreRow, 'merge'>) =>
  new AppError(
    'UNAVAILABLE',
    merge === null
      ? 'The restore failed, and everything is as it was before. Try again later, or restore fewer parts.'
      : 'The merge failed, and everything is as it was before. Try again later.',
    {},
    { headers: { 'retry-after': '60' } },
  );

export const undoFailed = ({ merge }: Pick<RestoreRow, 'merge'>) =>
  new AppError(
    'UNAVAILABLE',
    merge === null
      ? 'The restore failed, and so did going back. Ask GET /api/pages/:id/restore whether that is tried again, and what is not as it was.'
      : 'The merge failed, and so did going back. Ask GET /api/pages/:id/restore whether that is tried again, and what is not as it was.',
    {},
    { headers: { 'retry-after': '60' } },
  );

/** Refuses early if the owner can store nothing more. */
export async function assertQuota({ readQuota }: HistoryContext, ownerId: number): Promise<void> {
  const { bytes, quota } = await readQuota(ownerId);
  if (quota === null || bytes < quota) return;
  throw new AppError(
    'QUOTA_EXCEEDED',
    'The owner of this page has used up their quota, and a restore stores new versions. Nothing was changed. Delete something first.',
  );
}
