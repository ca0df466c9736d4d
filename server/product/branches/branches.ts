import { AppError, notFound } from '../../lib/errors.ts';
import { createFairQueue } from '../../lib/fair-queue.ts';
import { makeThrowawayName } from '../../lib/throwaway-names.ts';
import type { BranchRow, PageRow } from '../../platform/storage/index.ts';
import type { ChargeUsage } from '../ports.ts';
import type { BranchesContext } from './context.ts';
import { addCopied } from './copied-usage.ts';
import { addBranch, type BranchOrder, LEASE_MS, type Plan } from './make.ts';
import { claimBranch, findBranchByPage, listExpired, listUnfinished, updateBranch } from './store.ts';

const RENEW_MS = 10_000;
/** Branches that this node fills with records and databases at a time. Owners take turns. */
const COPIES_AT_ONCE = 2;

/** Ends the making of a branch that is deleted. */
class Deleted extends AppError {
  constructor() {
    super('NOT_FOUND', 'This branch was deleted while it was being made.');
  }
}

interface Making {
  ended: Promise<void>;
  abort: AbortController;
}

/** A branch for one purpose, which nobody sees in lists. */
export interface Throwaway {
  /** A page with everything that branches have: it is changed, called and served like one. */
  page: PageRow;
  /** What its page calls its functions, and their slugs. */
  functions: Array<{ id: number; name: string; slug: string }>;
  /** Removes it now. It is removed by itself otherwise, also after a crash. */
  remove(): Promise<void>;
}

/**
 * Makes branches. The page and the functions of a branch are added at once, its databases and records are copied in the
 * background, in steps that are noted: if the server is killed, the next start goes on. If a step fails, the branch is
 * removed again.
 */
export class Branches {
  readonly #context: BranchesContext;
  readonly #making = new Map<number, Making>();
  readonly #stopping = new AbortController();
  readonly #copies = createFairQueue({
    width: COPIES_AT_ONCE,
    // A page has few branches, and an owner a quota of pages. What waits is noted in the database anyway.
    maxWaiting: Number.POSITIVE_INFINITY,
    refused: () => new Error('too many branches are being made'),
  });

  constructor(context: BranchesContext) {
    this.#context = context;
    context.broadcast.onGap(() => void this.look());
  }

  /** Adds a branch. `ready` resolves when its databases and records are there, and fails if it was removed again. */
  async create(
    main: PageRow,
    order: BranchOrder,
  ): Promise<{ row: BranchRow; page: PageRow; ready: Promise<void> }> {
    const { row, page } = await addBranch(this.#context, main, order);
    this.#context.parts().pages.changed(page.id);
    const ready = this.#make(row);
    ready.catch(() => undefined);
    return { row, page, ready };
  }

  /** Makes a branch of a page as it is, for some minutes at most. */
  async createThrowaway(
    main: PageRow,
    { data, by, minutes }: { data: BranchRow['data']; by: number; minutes: number },
  ): Promise<Throwaway> {
    const { db, now, parts } = this.#context;
    const name = makeThrowawayName();
    const expiresAt = now() + minutes * 60_000;
    const { page, ready } = await this.create(main, { name, data, by, expiresAt });
    await ready;
    const functions = await parts().functions.list(db, page.id);
    return { page, functions, remove: () => this.remove(page.id) };
  }

  /** Removes a branch with everything that it has. */
  async remove(pageId: number): Promise<void> {
    await this.#context.parts().pages.remove(pageId);
  }

  /** Removes what a page has elsewhere, before the page is removed: its branches, or the functions of a branch. */
  async removeParts(page: PageRow): Promise<void> {
    const { db, parts, moments } = this.#context;
    const { pages, functions } = parts();
    for (const id of await pages.listBranches(db, page.id)) await pages.remove(id);
    if (page.branch_of === null) return;
    const making = this.#making.get(page.id);
    making?.abort.abort(new Deleted());
    await making?.ended.catch(() => undefined);
    moments.resume(page.id);
    await functions.removeAll(page, this.#chargeFor(await findBranchByPage(db, page.id)));
  }

  /** Goes on with branches whose node was lost, and removes those that have expired. */
  async look({ isOnlyNode = false } = {}): Promise<void> {
    const { db, now, moments, log } = this.#context;
    try {
      const rows = await moments.learnPaused(() => listUnfinished(db));
      for (const row of rows) {
        if (this.#making.has(row.page_id) || (!isOnlyNode && row.claimed_until > now())) continue;
        if (await claimBranch(db, row, now() + LEASE_MS)) this.#make(row).catch(() => undefined);
      }
      for (const id of await listExpired(db, now())) await this.remove(id);
    } catch (error) {
      log.warn({ err: error }, 'branches could not be looked after');
    }
  }

  /** Stops where the next start goes on. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await Promise.allSettled([...this.#making.values()].map(({ ended }) => ended));
  }

  #make(row: BranchRow): Promise<void> {
    const { db, now } = this.#context;
    const abort = new AbortController();
    const signal = AbortSignal.any([abort.signal, this.#stopping.signal]);
    const renewing = setInterval(() => {
      updateBranch(db, row.page_id, { claimed_until: now() + LEASE_MS }).catch(() => undefined);
    }, RENEW_MS);
    const ended = this.#fillInTurn(row, signal)
      .finally(() => {
        clearInterval(renewing);
        this.#making.delete(row.page_id);
      })
      .catch((error: unknown) => this.#giveUp(row, error));
    this.#making.set(row.page_id, { ended, abort });
    return ended;
  }

  /** Waits for a turn if there is much to copy. Nobody can use the branch meanwhile, and it can be deleted. */
  async #fillInTurn(row: BranchRow, signal: AbortSignal): Promise<void> {
    await this.#context.moments.pause(row.page_id);
    if (row.data === 'schema') return this.#fill(row, signal);
    signal.throwIfAborted();
    let hasBegun = false;
    const given = Promise.withResolvers<never>();
    const giveUp = () => !hasBegun && given.reject(signal.reason);
    signal.addEventListener('abort', giveUp);
    const filled = this.#copies(String(row.created_by), async () => {
      signal.throwIfAborted();
      hasBegun = true;
      await this.#fill(row, signal);
    });
    try {
      await Promise.race([filled, given.promise]);
    } finally {
      signal.removeEventListener('abort', giveUp);
      filled.catch(() => undefined);
    }
  }

  /** Does the steps that are left. */
  async #fill(row: BranchRow, signal: AbortSignal): Promise<void> {
    const { db, moments, parts } = this.#context;
    const { pages, functions, records, snapshots } = parts();
    const [main, branch] = [await pages.find(db, row.of_page_id), await pages.find(db, row.page_id)];
    if (!main || !branch) throw notFound('This page was not found.');
    const { databases, salt } = JSON.parse(row.plan) as Plan;
    if (row.step === 'databases') {
      for (const { to, snapshot } of databases) {
        signal.throwIfAborted();
        await snapshots.replace(branch.owner_id, to, snapshot);
      }
      if (row.data !== 'all') await functions.strip(branch, row.data);
      await updateBranch(db, row.page_id, { step: 'records' });
    }
    signal.throwIfAborted();
    // Schemas are not a part of moments: a copy for some minutes has those that the page has.
    const at = row.expires_at === null ? row.base_at : Number.MAX_SAFE_INTEGER;
    const charge = this.#chargeFor(row);
    await records.copy(main, branch, { at, data: row.data, salt, charge, signal });
    await updateBranch(db, row.page_id, { step: 'ready' });
    moments.resume(row.page_id);
    pages.changed(row.page_id);
  }

  /** Charges for a branch. What a copy for some minutes takes is noted with it, because it does not count. */
  #chargeFor(row: BranchRow | undefined): ChargeUsage {
    const { chargeUsage, chargeWithoutQuota } = this.#context;
    if (!row || row.expires_at === null) return chargeUsage;
    return async (tx, ownerId, change) => {
      await chargeWithoutQuota(tx, ownerId, change);
      await addCopied(tx, row.page_id, change);
    };
  }

  async #giveUp(row: BranchRow, error: unknown): Promise<never> {
    const { db, log } = this.#context;
    // The next start goes on.
    if (this.#stopping.signal.aborted) throw error;
    const isThere = (await findBranchByPage(db, row.page_id)) !== undefined;
    if (isThere && !(error instanceof Deleted)) {
      log.error({ err: error, page: row.page_id }, 'a branch could not be made and is removed');
      await this.remove(row.page_id);
    }
    throw error;
  }
}
