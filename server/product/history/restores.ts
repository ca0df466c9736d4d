import { PARTS, type RestoreChanges } from '../../../contract/pages/history/moments.ts';
import { phrase } from '../../../contract/rules/texts/fill.ts';
import { AppError, notFound } from '../../lib/errors.ts';
import type { GroupCommit, MomentRow, PageRow, RestoreRow } from '../../platform/storage/index.ts';
import type { HistoryContext } from './context.ts';
import { keepMoment } from './keep.ts';
import {
  alreadyRunning,
  assertQuota,
  ChangedMeanwhile,
  countRecords,
  EMPTY,
  failed,
  listLeftCollections,
  type RestoreRequest,
  readPlan,
  restoreVersions,
  toRequest,
} from './plan.ts';
import { claimRestore, deleteRestore, insertRestore, listRunning, updateRestore } from './restore-store.ts';
import { parseState, type RestorePlan } from './state.ts';
import { findMoment, keepSnapshots } from './store.ts';

/** A restore whose node has not renewed it for this long is taken over. */
const LEASE_MS = 30_000;
const RENEW_MS = 10_000;
/** How often a merge begins again because somebody publishes. */
const MAX_TRIES = 5;

/** Ends a transaction without its changes. */
class Undo extends Error {}

/** What a restore has done. */
export interface Restored {
  changes: RestoreChanges;
  undo: number;
}

interface RestoresContext extends HistoryContext {
  commit: GroupCommit;
  noteChange(pageId: number): void;
}

/**
 * Restores moments. Every step is noted in the database, in the transaction of what it does or after it, and can be
 * repeated: if the server is killed, the next start goes on where it was. If a step fails, everything goes back to the
 * moment that was kept before the first.
 */
export class Restores {
  readonly #context: RestoresContext;
  readonly #running = new Map<number, Promise<unknown>>();
  readonly #stopping = new AbortController();

  constructor(context: RestoresContext) {
    this.#context = context;
  }

  /** Says what a restore would change. */
  async tryOut(page: PageRow, moment: MomentRow, request: RestoreRequest): Promise<RestoreChanges> {
    const { db } = this.#context;
    let plan: RestorePlan | undefined;
    await db
      .transaction()
      .execute(async (tx) => {
        const by = { id: page.id, by: null };
        plan = await restoreVersions(this.#context, tx, by, parseState(moment), request);
        throw new Undo();
      })
      .catch((error: unknown) => {
        if (!(error instanceof Undo)) throw error;
      });
    if (!plan) throw new Error('a restore could not be tried out');
    return (await countRecords(this.#context, page.id, request, plan)).changes;
  }

  /** Restores a moment. Nobody can call the page's functions or change its data meanwhile. */
  restore(page: PageRow, request: RestoreRequest): Promise<Restored> {
    return this.#begin(page, request, null);
  }

  /** Brings what was decided about a branch to a page, in the same steps. */
  merge(page: PageRow, order: object, by: number): Promise<Restored> {
    const request = { at: this.#context.now(), parts: PARTS, collections: undefined, by };
    return this.#begin(page, request, JSON.stringify(order));
  }

  async #begin(page: PageRow, request: RestoreRequest, merge: string | null): Promise<Restored> {
    const { db, now, pauses } = this.#context;
    await assertQuota(this.#context, page.owner_id);
    const row = await db.transaction().execute((tx) =>
      insertRestore(tx, {
        page_id: page.id,
        user_id: request.by,
        at: request.at,
        parts: JSON.stringify(request.parts),
        collections: request.collections ? JSON.stringify(request.collections) : null,
        merge,
        started_at: now(),
        claimed_until: now() + LEASE_MS,
      }),
    );
    if (!row) throw alreadyRunning();
    await pauses.begin(page.id);
    return this.#track(row, () => this.#start(row));
  }

  /** Finishes restores whose node was lost. At the start of the only node, that is all of them. */
  async resume({ isOnlyNode = false } = {}): Promise<void> {
    const { db, now, pauses, log } = this.#context;
    const rows = await pauses.learn(() => listRunning(db));
    for (const row of rows) {
      if (this.#running.has(row.id) || (!isOnlyNode && row.claimed_until > now())) continue;
      if (!(await claimRestore(db, row, now() + LEASE_MS))) continue;
      // What had changed nothing is as good as if it never began. A merge would have to be decided again.
      const isMerge = row.merge !== null && row.step === 'page';
      if (row.undo_at === null || isMerge) await this.#forget(row);
      else
        void this.#track(row, () => this.#goOn(row)).catch(async (error: unknown) => {
          // If its first step was refused, for example for the quota, it would be refused again and again.
          if (error instanceof AppError) return void (await this.#forget(row).catch(() => undefined));
          if (this.#stopping.signal.aborted) return;
          log.error({ err: error, page: row.page_id }, 'a restore could not be finished; trying again');
        });
    }
  }

  /** Stops where the next start goes on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled(this.#running.values());
  }

  async #track<T>(row: RestoreRow, work: () => Promise<T>): Promise<T> {
    const { db, now } = this.#context;
    const renewing = setInterval(() => {
      updateRestore(db, row.id, { claimed_until: now() + LEASE_MS }).catch(() => undefined);
    }, RENEW_MS);
    const running = work()
      .catch(async (error: unknown) => {
        // Whoever looks next goes on.
        await updateRestore(db, row.id, { claimed_until: now() }).catch(() => undefined);
        throw error;
      })
      .finally(() => {
        clearInterval(renewing);
        this.#running.delete(row.id);
      });
    this.#running.set(row.id, running);
    return running;
  }

  /** Keeps the moment to come back to. Until that is done, nothing has changed. */
  async #start(row: RestoreRow): Promise<Restored> {
    const { db, commit, directory } = this.#context;
    const { functions } = this.#context.parts();
    try {
      const page = await directory.find(db, String(row.page_id));
      if (!page) throw notFound('This page was not found.');
      // Writes that were admitted before are committed now, and calls have ended.
      await commit.run(async () => undefined, { alone: true });
      await functions.drain((await functions.read(db, page)).map(({ id }) => id));
      for (let tries = 1; ; tries++) {
        const undo_at = await this.#keepBefore(row);
        await updateRestore(db, row.id, { undo_at, step: 'page' });
        try {
          return await this.#goOn({ ...row, undo_at, step: 'page' });
        } catch (error) {
          // Somebody has published meanwhile: that must be in the moment to come back to, and in what is compared.
          if (!(error instanceof ChangedMeanwhile)) throw error;
          if (tries === MAX_TRIES) throw failed(row);
        }
      }
    } catch (error) {
      await this.#forget(row);
      throw error;
    }
  }

  async #keepBefore(row: RestoreRow): Promise<number> {
    const undo_at = await keepMoment(this.#context, row.page_id, {
      cause: {
        kind: row.merge === null ? 'restore' : 'merge',
        by: row.user_id,
        text: phrase(
          row.merge === null
            ? 'Kept before an earlier moment was restored.'
            : 'Kept before a branch was merged.',
        ),
      },
      restore: row.id,
      mustHaveDatabases: toRequest(row).parts.includes('databases'),
    });
    if (undo_at === undefined) throw notFound('This page was not found.');
    return undo_at;
  }

  /** Forgets a restore that has changed nothing. One that has is left to be finished. */
  async #forget(row: RestoreRow): Promise<void> {
    const { db, pauses } = this.#context;
    const found = (await listRunning(db)).find(({ id }) => id === row.id);
    if (found && (found.step === 'moment' || found.step === 'page')) await deleteRestore(db, row.id);
    if (!found || found.step === 'moment' || found.step === 'page') pauses.end(row.page_id);
  }

  /** Does the steps that are left. */
  async #goOn(row: RestoreRow): Promise<Restored> {
    const { db, pauses } = this.#context;
    const { undo_at } = row;
    if (undo_at === null) throw new Error('a restore has no moment to come back to');
    if (row.step === 'undone') throw await this.#undo(row, undo_at, row.error ?? '');
    const moment = await findMoment(db, row.page_id, row.merge === null ? row.at : undo_at);
    if (row.merge === null && moment?.at !== row.at)
      throw await this.#undo(row, undo_at, 'The moment is no longer kept.');
    const plan = row.step === 'page' && moment ? await this.#changePage(row, moment) : readPlan(row);
    try {
      await this.#restoreData(row, plan);
    } catch (error) {
      // The next start goes on.
      if (this.#stopping.signal.aborted) throw error;
      throw await this.#undo({ ...row, changes: JSON.stringify(plan) }, undo_at, String(error));
    }
    await db.transaction().execute(async (tx) => {
      await updateRestore(tx, row.id, { step: 'done', finished_at: this.#context.now() });
      await this.#context.parts().merging.ended(tx, row, plan);
    });
    pauses.end(row.page_id);
    this.#context.noteChange(row.page_id);
    return { changes: plan.changes, undo: undo_at };
  }

  /** Does what is one transaction. If it fails, nothing has changed. */
  async #changePage(row: RestoreRow, moment: MomentRow): Promise<RestorePlan> {
    if (row.merge === null) return this.#restoreVersions(row, moment);
    const plan = await this.#context.parts().merging.apply(row, parseState(moment), async (tx, plan) => {
      // Merged databases are kept as long as the moment before.
      await keepSnapshots(tx, moment.id, plan.replacing);
      await updateRestore(tx, row.id, { step: 'databases', changes: JSON.stringify(plan) });
    });
    if (!plan) throw new ChangedMeanwhile();
    return plan;
  }

  /** Brings the page and its functions back. If this fails, nothing has changed, and the restore is forgotten. */
  async #restoreVersions(row: RestoreRow, moment: MomentRow): Promise<RestorePlan> {
    const { db } = this.#context;
    const { pages, functions } = this.#context.parts();
    const request = toRequest(row);
    const counted = await countRecords(this.#context, row.page_id, request, EMPTY);
    const { plan, changedFunctions } = await db.transaction().execute(async (tx) => {
      const page = { id: row.page_id, by: row.user_id };
      const done = await restoreVersions(this.#context, tx, page, parseState(moment), request);
      const { created, updated, deleted, records, collections } = counted.changes;
      const not_restored = [...done.changes.not_restored, ...counted.changes.not_restored];
      const changes = { ...done.changes, created, updated, deleted, records, collections, not_restored };
      const plan: RestorePlan = { changes, replacing: done.replacing };
      await updateRestore(tx, row.id, { step: 'databases', changes: JSON.stringify(plan) });
      return { plan, changedFunctions: done.changedFunctions };
    });
    pages.changed(row.page_id);
    functions.changed(changedFunctions);
    return plan;
  }

  /** Brings the databases and the records back. A step is noted in the row unless the restore is undone. */
  async #restoreData(row: RestoreRow, plan: RestorePlan, isUndo = false): Promise<void> {
    const { db, directory } = this.#context;
    const { snapshots, records } = this.#context.parts();
    const request = toRequest(row);
    const page = await directory.find(db, String(row.page_id));
    if (!page) throw notFound('This page was not found.');
    if (row.step !== 'records') {
      for (const { database, snapshot } of plan.replacing) {
        this.#stopping.signal.throwIfAborted();
        await snapshots.replace(page.owner_id, database, snapshot, async () => {
          if (isUndo || plan.replaced?.includes(database)) return;
          plan.replaced = [...(plan.replaced ?? []), database];
          await updateRestore(db, row.id, { changes: JSON.stringify(plan) });
        });
      }
      if (!isUndo) await updateRestore(db, row.id, { step: 'records' });
    }
    if (!request.parts.includes('records')) return;
    if (row.merge !== null && !isUndo)
      return this.#context.parts().merging.applyRecords(row, this.#stopping.signal);
    await records.restore(row.page_id, request.at, {
      except: listLeftCollections(plan),
      ...(request.collections && { collections: request.collections }),
      by: row.user_id,
      signal: this.#stopping.signal,
    });
  }

  /** Goes back to the moment before the restore. Returns the error that says so. */
  async #undo(row: RestoreRow, undoAt: number, reason: string): Promise<AppError> {
    const { db, log, now, pauses, chargeWithoutQuota } = this.#context;
    const { pages, functions } = this.#context.parts();
    log.error({ page: row.page_id, reason }, 'a restore failed and is undone');
    await updateRestore(db, row.id, { step: 'undone', error: reason });
    const before = await findMoment(db, row.page_id, undoAt);
    if (before) {
      const request = { ...toRequest(row), at: undoAt };
      const page = { id: row.page_id, by: row.user_id };
      const { changedFunctions, ...plan } = await db
        .transaction()
        .execute((tx) =>
          restoreVersions(this.#context, tx, page, parseState(before), request, chargeWithoutQuota),
        );
      pages.changed(row.page_id);
      functions.changed(changedFunctions);
      const { replaced = [], changes } = readPlan(row);
      const replacing = plan.replacing.filter(({ database }) => replaced.includes(database));
      const back = { ...row, at: undoAt, step: 'databases' as const };
      await this.#restoreData(back, { ...plan, changes, replacing }, true);
    }
    await updateRestore(db, row.id, { step: 'undone', finished_at: now() });
    pauses.end(row.page_id);
    return failed(row);
  }
}
