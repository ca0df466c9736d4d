import { done } from '../../../contract/fields.ts';
import { momentEndpoints } from '../../../contract/pages/history/moment-endpoints.ts';
import type { LastRestore, Moment } from '../../../contract/pages/history/moments.ts';
import { MAX_NAMED_MOMENTS } from '../../../contract/rules/limits.ts';
import { phrase } from '../../../contract/rules/texts/fill.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Actor, handle, type Route } from '../../platform/http/index.ts';
import type { MomentRow, PageRow, RestoreRow, Tx } from '../../platform/storage/index.ts';
import type { HistoryContext } from './context.ts';
import { describeMoments } from './describe.ts';
import { keepMoment } from './keep.ts';
import { isRestoring } from './pauses.ts';
import { readShare, removeMoments } from './purge.ts';
import { findLastRestore, isRestored } from './restore-store.ts';
import { chooseParts, readPlan } from './restores/plan.ts';
import type { Restores } from './restores/restores.ts';
import { parseState, type RestorePlan } from './state.ts';
import { findLastTime, findMoment, findNamed, findOldestTime, forgetName, listMoments } from './store.ts';

export interface HistoryRoutes extends HistoryContext {
  restores: Restores;
}

export function historyRoutes(context: HistoryRoutes): Route[] {
  return [...readRoutes(context), ...changeRoutes(context), ...restoreRoutes(context)];
}

const createFind =
  ({ db, directory }: HistoryContext) =>
  async (id: number, actor: Actor, action: 'read' | 'write'): Promise<PageRow> =>
    directory.require(db, await directory.find(db, String(id)), actor, action);

function readRoutes(context: HistoryRoutes): Route[] {
  const { db } = context;
  const { pages } = context.parts();
  const find = createFind(context);
  return [
    handle(momentEndpoints.listMoments, async ({ params, query, actor }) => {
      const page = await find(params.id, actor, 'read');
      const { from = 0, to = Number.MAX_SAFE_INTEGER, limit } = query;
      const rows = await listMoments(db, page.id, { from, to, limit });
      const oldest = await findOldestTime(db, page.id);
      return {
        moments: await describeMoments(context, page.id, rows),
        oldest: oldest === undefined ? null : toTimestamp(oldest),
        days: context.days,
        named: (await findNamed(db, page.id)).length,
        storage: await readStorage(context, page, actor),
      };
    }),
    handle(momentEndpoints.getMoment, async ({ params, actor }) => {
      const page = await find(params.id, actor, 'read');
      const row = await requireMoment(context, page.id, params.at);
      const { page: shown, functions, databases } = parseState(row);
      return {
        ...(await describeOne(context, page.id, row.at)),
        ...pages.makePreview(page, shown.version, actor.userId),
        page_version: shown.version,
        page_name: String(shown.settings.name ?? page.name),
        functions: functions.map(({ slug, version }) => ({ slug, version })),
        databases: databases.flatMap((each) => each.functions),
      };
    }),
  ];
}

/** What history takes, for the owner only: others must not see the size of their quota. */
async function readStorage(context: HistoryContext, page: PageRow, actor: Actor) {
  if (actor.userId !== page.owner_id) return null;
  const { bytes, share } = await readShare(context, page.owner_id);
  return { bytes, quota: share };
}

function changeRoutes(context: HistoryRoutes): Route[] {
  const { db } = context;
  const find = createFind(context);
  return [
    handle(momentEndpoints.keepMoment, async ({ params, body, actor }) => {
      const page = await find(params.id, actor, 'write');
      assertOn(context);
      await assertShare(context, page.owner_id);
      const at = await keepMoment(context, page.id, {
        name: body.name,
        cause: { kind: 'named', by: actor.userId, text: phrase('Kept as “{name}”.', { name: body.name }) },
        admit: (tx) => assertFewNamed(tx, page.id),
      });
      if (at === undefined) throw notFound('This page was not found.');
      return describeOne(context, page.id, at);
    }),
    handle(momentEndpoints.deleteMoment, async ({ params, actor }) => {
      const page = await find(params.id, actor, 'write');
      const row = await findMoment(db, page.id, params.at);
      if (row?.at !== params.at) throw unknownMoment();
      if (row.name === null)
        throw new AppError(
          'CONFLICT',
          'This moment has no name. It is removed by itself when it is old enough.',
        );
      // The newest moment stays without its name: what comes next is compared with it. So do those that branches need.
      const isBase = (await context.parts().listBases()).get(page.id)?.includes(row.at);
      // A restore needs its moments until it ends.
      if (await isRestored(db, page.id)) throw isRestoring();
      if (isBase || row.at === (await findLastTime(db, page.id))) await forgetName(db, row.id);
      else await removeMoments(context, page.id, [row]);
      return done('The moment is deleted.');
    }),
  ];
}

function restoreRoutes(context: HistoryRoutes): Route[] {
  const { db, restores } = context;
  const find = createFind(context);
  return [
    handle(momentEndpoints.restoreMoment, async ({ params, body, actor }) => {
      const page = await find(params.id, actor, 'write');
      const row = await requireMoment(context, page.id, body.at);
      const parts = chooseParts(actor, page, body.parts);
      const request = { at: row.at, parts, collections: body.collections, by: actor.userId };
      const at = toTimestamp(row.at);
      if (body.dry_run)
        return { success: true as const, at, changes: await restores.tryOut(page, row, request), undo: null };
      const { changes, undo } = await restores.restore(page, request);
      return { success: true as const, at, changes, undo: toTimestamp(undo) };
    }),
    handle(momentEndpoints.getRestore, async ({ params, actor }) => {
      const page = await find(params.id, actor, 'read');
      return toLastRestore(await findLastRestore(db, page.id));
    }),
  ];
}

const ENDED_BADLY: { [step in RestoreRow['step']]?: string } = {
  undone: 'A step failed, so that everything went back. The server’s log says why.',
  failed: 'A step failed, and not everything could go back. The server’s log says why.',
};

function toLastRestore(row: Awaited<ReturnType<typeof findLastRestore>>): LastRestore {
  if (!row) return { restore: null };
  const isDone = row.step === 'done' && row.changes !== null;
  return {
    restore: {
      at: toTimestamp(row.at),
      by: row.by,
      parts: JSON.parse(row.parts),
      collections: row.collections === null ? null : JSON.parse(row.collections),
      step: row.step,
      started_at: toTimestamp(row.started_at),
      finished_at: row.finished_at === null ? null : toTimestamp(row.finished_at),
      undo: row.undo_at === null ? null : toTimestamp(row.undo_at),
      changes: isDone ? (JSON.parse(row.changes ?? '') as RestorePlan).changes : null,
      error: ENDED_BADLY[row.step] ?? null,
      not_undone: row.step === 'failed' ? (readPlan(row).notUndone ?? []) : [],
    },
  };
}

async function describeOne(context: HistoryContext, pageId: number, at: number): Promise<Moment> {
  const rows = await listMoments(context.db, pageId, { from: at, to: at, limit: 1 });
  const [moment] = await describeMoments(context, pageId, rows);
  if (!moment) throw unknownMoment();
  return moment;
}

/** The last moment at or before a time. */
async function requireMoment({ db }: HistoryContext, pageId: number, at: number): Promise<MomentRow> {
  const row = await findMoment(db, pageId, at);
  if (row) return row;
  const oldest = await findOldestTime(db, pageId);
  if (oldest === undefined) throw unknownMoment();
  throw notFound('The oldest moment that is kept of this page is of {oldest}. Choose that or a later one.', {
    oldest: toTimestamp(oldest),
  });
}

const unknownMoment = () =>
  notFound('There is no such moment of this page. List them with GET /api/pages/:id/moments.');

function assertOn({ days }: HistoryContext): void {
  if (days > 0) return;
  throw new AppError(
    'CONFLICT',
    'The operator of this server has turned history off, so that no moments are kept.',
  );
}

async function assertFewNamed(tx: Tx, pageId: number): Promise<void> {
  if ((await findNamed(tx, pageId)).length < MAX_NAMED_MOMENTS) return;
  throw new AppError(
    'QUOTA_EXCEEDED',
    'This page has {max} moments with a name, which is the limit. Delete one of them first.',
    { max: MAX_NAMED_MOMENTS },
  );
}

async function assertShare(context: HistoryContext, ownerId: number): Promise<void> {
  const { bytes, share } = await readShare(context, ownerId);
  if (share === null || bytes < share) return;
  throw new AppError(
    'QUOTA_EXCEEDED',
    'The history of this owner’s pages takes a quarter of their storage, which is the limit. Delete moments with a name first.',
  );
}
