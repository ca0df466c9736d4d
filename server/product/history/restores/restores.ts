import { type NotRestored, PARTS, type RestoreChanges } from '../../../../contract/pages/history/moments.ts';
import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { GroupCommit, MomentRow, PageRow, RestoreRow, Tx } from '../../../platform/storage/index.ts';
import type { HistoryContext } from '../context.ts';
import { keepMoment } from '../keep.ts';
import {
  claimRestore,
  deleteUnbegun,
  holdClaim,
  insertRestore,
  isRestored,
  LostClaim,
  listRunning,
  updateRestore,
} from '../restore-store.ts';
import { listDatabases, parseState, type RestorePlan } from '../state.ts';
import { findMoment, keepSnapshots } from '../store.ts';
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
  undoFailed,
} from './plan.ts';
import { LEASE_MS, MAX_TRIES, RunningRestores } from './running.ts';
import { undoRestore } from './undo.ts';

/** How often a merge begins again because somebody publishes. */
const MAX_MERGES = 5;

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
  readonly #running: RunningRestores;

  constructor(context: RestoresContext) {
    this.#context = context;
    this.#running = new RunningRestores(context);
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
    return this.#running.track(row, (signal) => this.#start(row, signal));
  }

  /** Finishes restores whose node was lost. At the start of the only node, that is all of them. */
  async resume({ isOnlyNode = false } = {}): Promise<void> {
    const { db, now, pauses, log } = this.#context;
    const rows = await pauses.learn(() => listRunning(db));
    for (const found of rows) {
      if (this.#running.has(found.id) || (!isOnlyNode && found.claimed_until > now())) continue;
      const row = await claimRestore(db, found, now() + LEASE_MS);
      if (!row) continue;
      // What had changed nothing is as good as if it never began. A merge would have to be decided again.
      const isFutile = row.step === 'page' && (row.merge !== null || row.tries >= MAX_TRIES);
      if (row.undo_at === null || isFutile) await this.#forget(row);
      else
        void this.#running
          .track(row, (signal) => this.#goOn(row, signal))
          .catch(async (error: unknown) => {
            // If its first step was refused, for example for the quota, it would be refused again and again.
            if (error instanceof AppError) return void (await this.#forget(row).catch(() => undefined));
            if (this.#running.isStopping) return;
            log.error({ err: error, page: row.page_id }, 'a restore could not be finished; trying again');
          });
    }
  }

  /** Stops where the next start goes on. */
  stop(): Promise<void> {
    return this.#running.stop();
  }

  /** Keeps the moment to come back to. Until that is done, nothing has changed. */
  async #start(row: RestoreRow, signal: AbortSignal): Promise<Restored> {
    const { db, commit, directory } = this.#context;
    const { functions } = this.#context.parts();
    try {
      const page = await directory.find(db, String(row.page_id));
      if (!page) throw notFound('This page was not found.');
      // Writes that were admitted before are committed now, and calls have ended.
      await commit.run(async () => undefined, { alone: true });
      const states = await functions.read(db, page);
      await functions.drain(states.map(({ id }) => id));
      // Some calls run for minutes, and WebSockets for hours: what they would write must neither be lost nor come back.
      if (toRequest(row).parts.includes('databases'))
        await functions.fence([...listDatabases(states).keys()]);
      for (let tries = 1; ; tries++) {
        const undo_at = await this.#keepBefore(row);
        await updateRestore(db, row, { undo_at, step: 'page' });
        try {
          return await this.#goOn({ ...row, undo_at, step: 'page' }, signal);
        } catch (error) {
          // Somebody has published meanwhile: that must be in the moment to come back to, and in what is compared.
          if (!(error instanceof ChangedMeanwhile)) throw error;
          if (tries === MAX_MERGES) throw failed(row);
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
    await deleteUnbegun(db, row);
    if (!(await isRestored(db, row.page_id))) pauses.end(row.page_id);
  }

  /** Does the steps that are left. */
  async #goOn(row: RestoreRow, signal: AbortSignal): Promise<Restored> {
    const { db, pauses } = this.#context;
    const { undo_at } = row;
    if (undo_at === null) throw new Error('a restore has no moment to come back to');
    const undo = (reason: string, from = row) => this.#undo({ ...from, undo_at }, reason, signal);
    if (row.step === 'undone') throw await undo(row.error ?? '');
    if (row.step !== 'page' && row.tries >= MAX_TRIES) throw await undo('It has failed too often.');
    const at = row.merge === null ? row.at : undo_at;
    const found = await findMoment(db, row.page_id, at);
    const moment = found?.at === at ? found : undefined;
    if (row.merge === null && !moment) throw await undo('The moment is no longer kept.');
    const plan = row.step === 'page' ? await this.#changePage(row, moment) : readPlan(row);
    try {
      await this.#restoreData(row, plan, signal);
    } catch (error) {
      // The next start, or another node, goes on.
      if (signal.aborted || error instanceof LostClaim) throw error;
      throw await undo(String(error), { ...row, changes: JSON.stringify(plan) });
    }
    await db.transaction().execute(async (tx) => {
      await updateRestore(tx, row, { step: 'done', finished_at: this.#context.now() });
      await this.#context.parts().merging.ended(tx, row, plan);
    });
    pauses.end(row.page_id);
    await this.#noteChange(row, plan);
    return { changes: plan.changes, undo: undo_at };
  }

  /** Notes the change of the page, and of all others whose functions use the same databases. */
  async #noteChange({ page_id }: RestoreRow, { replacing }: RestorePlan): Promise<void> {
    const users = await this.#context.parts().functions.listUsers(replacing.map(({ database }) => database));
    for (const id of new Set([page_id, ...users])) this.#context.noteChange(id);
  }

  /** Does what is one transaction. If it fails, nothing has changed. */
  async #changePage(row: RestoreRow, moment: MomentRow | undefined): Promise<RestorePlan> {
    if (!moment) throw new Error('the moment before a merge is no longer kept');
    if (row.merge === null) return this.#restoreVersions(row, moment);
    const plan = await this.#context.parts().merging.apply(row, parseState(moment), async (tx, plan) => {
      // Merged databases are kept as long as the moment before.
      await keepSnapshots(tx, moment.id, plan.replacing);
      await updateRestore(tx, row, { step: 'databases', changes: JSON.stringify(plan) });
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
      await updateRestore(tx, row, { step: 'databases', changes: JSON.stringify(plan) });
      return { plan, changedFunctions: done.changedFunctions };
    });
    pages.changed(row.page_id);
    functions.changed(changedFunctions);
    return plan;
  }

  /** Brings the databases and the records back. */
  async #restoreData(row: RestoreRow, plan: RestorePlan, signal: AbortSignal): Promise<void> {
    const { db, directory } = this.#context;
    const { snapshots, records, merging } = this.#context.parts();
    const request = toRequest(row);
    const page = await directory.find(db, String(row.page_id));
    if (!page) throw notFound('This page was not found.');
    if (row.step !== 'records') {
      for (const { database, snapshot } of plan.replacing) {
        signal.throwIfAborted();
        await snapshots.replace(page.owner_id, database, snapshot, async () => {
          plan.replaced = [...new Set([...(plan.replaced ?? []), database])];
          await updateRestore(db, row, { changes: JSON.stringify(plan) });
        });
      }
      await updateRestore(db, row, { step: 'records' });
    }
    if (!request.parts.includes('records')) return;
    const admit = (tx: Tx) => holdClaim(tx, row);
    if (row.merge !== null) return merging.applyRecords(row, { signal, admit });
    await records.restore(row.page_id, request.at, {
      except: listLeftCollections(plan),
      ...(request.collections && { collections: request.collections }),
      by: row.user_id,
      ...{ signal, admit },
    });
  }

  /** Goes back to the moment before the restore. Returns the error that says so. */
  async #undo(row: RestoreRow & { undo_at: number }, reason: string, signal: AbortSignal): Promise<AppError> {
    const { db, log, now, pauses } = this.#context;
    log.error({ page: row.page_id, reason }, 'a restore failed and is undone');
    const tries = row.step === 'undone' ? row.tries : 0;
    await updateRestore(db, row, { step: 'undone', error: reason, tries });
    const isLast = tries + 1 >= MAX_TRIES;
    let notUndone: NotRestored[];
    try {
      notUndone = await undoRestore(this.#context, row, { signal, isLast });
    } catch (error) {
      if (signal.aborted || error instanceof LostClaim) throw error;
      log.error({ err: error, page: row.page_id }, 'a restore could not be undone; trying again');
      return undoFailed(row);
    }
    const step = notUndone.length === 0 ? 'undone' : 'failed';
    const changes = JSON.stringify({ ...readPlan(row), notUndone } satisfies RestorePlan);
    await updateRestore(db, row, { step, changes, finished_at: now() });
    pauses.end(row.page_id);
    return step === 'undone' ? failed(row) : undoFailed(row);
  }
}
