import { setImmediate } from 'node:timers/promises';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import {
  type Db,
  type GroupCommit,
  keepRows,
  type PageRow,
  type Tx,
} from '../../../platform/storage/index.ts';
import type { ChargeUsage, RecordDifference } from '../../ports.ts';
import type { InCollection } from '../access/data-target.ts';
import { changeSchema, countColumnBytes } from '../collections/define.ts';
import { findCollection } from '../collections/store.ts';
import type { Change, ChangeContext } from '../records/changes.ts';
import { assertKept } from './assert-kept.ts';
import { bringBack } from './bring-back.ts';
import { isForOwner, listRestorable, type Restored } from './restorable.ts';
import {
  findFirstChange,
  findPastSchema,
  firstId,
  listCreated,
  listEntries,
  toPastRow,
} from './state-store.ts';

/** How long a transaction goes on with records: others wait, and the last record can be large. */
const BUDGET_MS = 8;
/** Records that are looked up at a time. */
const LOOKED_UP = 200;

export interface RestoreContext extends ChangeContext {
  db: Db;
  commit: GroupCommit;
  /** Charges without a quota: a restore must not end in the middle. */
  chargeWithoutQuota: ChargeUsage;
  announce(target: InCollection, change: Change): void;
  rulesChanged(target: InCollection): void;
}

interface RestoreOptions extends Restored {
  signal?: AbortSignal;
  /** Called in each transaction. */
  admit?(tx: Tx): Promise<void>;
}

/** Brings the records and schemas of a page back, a few in each transaction. */
export async function restorePage(
  context: RestoreContext,
  page: PageRow,
  at: number,
  options: RestoreOptions,
): Promise<RecordDifference> {
  const total: RecordDifference = { created: 0, updated: 0, deleted: 0 };
  const { restorable } = await listRestorable(context.db, page, options);
  for (const { name, storage_type } of restorable) {
    const target = toTarget(page, storage_type, name, options.by);
    const restoring = new Restoring(context, target, at, options);
    await restoring.run({ withSchema: isForOwner(page, options) });
    for (const key of ['created', 'updated', 'deleted'] as const) total[key] += restoring.done[key];
  }
  return total;
}

/** The collection, and the person in whose name it is restored. What they may do was checked before. */
function toTarget(
  page: PageRow,
  storageType: StorageType,
  collection: string,
  by: number | null,
): InCollection {
  const actor = by === null ? undefined : { userId: by, role: 'owner' as const };
  return { page, storageType, collection, actor, username: '' };
}

/** The restore of one collection. */
class Restoring {
  readonly done: RecordDifference = { created: 0, updated: 0, deleted: 0 };
  readonly #context: RestoreContext;
  readonly #target: InCollection;
  readonly #at: number;
  readonly #options: RestoreOptions;

  constructor(context: RestoreContext, target: InCollection, at: number, options: RestoreOptions) {
    this.#context = { ...context, chargeUsage: context.chargeWithoutQuota };
    this.#target = target;
    this.#at = at;
    this.#options = options;
  }

  async run({ withSchema }: { withSchema: boolean }): Promise<void> {
    const { db, readTime } = this.#context;
    const { page, storageType, collection } = this.#target;
    const found = await findCollection(db, page.id, storageType, collection);
    if (!found) return;
    // What is changed from here on is either part of the restore, or later than it.
    const startedAt = readTime(page.id);
    await assertKept(db, found.id, this.#at);
    if (withSchema) await this.#restoreSchema();
    // Deletes first, so that the page has as few records as possible at any time.
    for (let from = firstId(this.#at); ; ) {
      const ids = await listCreated(db, found.id, from, LOOKED_UP);
      const last = ids.at(-1);
      if (last === undefined) break;
      await this.#bringBackAll(ids);
      from = last;
    }
    for (let after = { at: this.#at, id: -1 }; ; ) {
      const span = { since: this.#at, after, until: startedAt };
      const entries = await listEntries(db, found.id, span, LOOKED_UP);
      const last = entries.at(-1);
      if (!last) break;
      // A record that changed a hundred times is brought back once.
      const changed = entries.filter(({ earlier }) => earlier === null);
      await this.#bringBackAll(changed.map(({ record_id }) => record_id).sort());
      after = last;
    }
    // Otherwise an entry that would have been next could have been removed.
    await assertKept(db, found.id, this.#at);
  }

  async #restoreSchema(): Promise<void> {
    const { commit, chargeUsage, rulesChanged } = this.#context;
    const { page } = this.#target;
    const isRuled = await commit.run(async (tx) => {
      const collection = await this.#keep(tx);
      const past = collection && (await findPastSchema(tx, collection.id, this.#at));
      if (collection) await assertKept(tx, collection.id, this.#at);
      if (!past || (past.schema === collection.schema && past.rules === collection.rules)) return false;
      const bytes = countColumnBytes(past) - countColumnBytes(collection);
      if (bytes !== 0) await chargeUsage(tx, page.owner_id, { bytes });
      await changeSchema(this.#context, tx, this.#target, { present: collection, next: past });
      return past.rules !== collection.rules;
    });
    if (isRuled) rulesChanged(this.#target);
  }

  /** The collection, which cannot be deleted until this transaction ends. Undefined if the page is gone. */
  async #keep(tx: Tx) {
    const { page, storageType, collection } = this.#target;
    await this.#options.admit?.(tx);
    const isThere = (await keepRows(tx, 'pages', [page.id])).size > 0;
    return isThere ? findCollection(tx, page.id, storageType, collection) : undefined;
  }

  async #bringBackAll(ids: string[]): Promise<void> {
    const waiting = [...ids];
    while (waiting.length > 0) {
      this.#options.signal?.throwIfAborted();
      const { handled, changes } = await this.#context.commit.run((tx) => this.#bringBackSome(tx, waiting), {
        alone: true,
      });
      waiting.splice(0, handled);
      for (const change of changes) {
        this.done[change.type]++;
        this.#context.announce(this.#target, change);
      }
      // SQLite answers without waiting, so other requests get a turn only here.
      await setImmediate();
    }
  }

  async #bringBackSome(tx: Tx, ids: string[]): Promise<{ handled: number; changes: Change[] }> {
    const collection = await this.#keep(tx);
    if (!collection) return { handled: ids.length, changes: [] };
    const changes: Change[] = [];
    const startedAt = performance.now();
    let handled = 0;
    for (const id of ids) {
      if (performance.now() - startedAt > BUDGET_MS) break;
      handled++;
      const row = await this.#context.writes.lock(tx, collection.id, id);
      const first = await findFirstChange(tx, collection.id, id, this.#at);
      await assertKept(tx, collection.id, this.#at);
      const unchanged = row && row.created_at < this.#at ? row : undefined;
      const past = first ? toPastRow(first, this.#at) : unchanged;
      const change = await bringBack(this.#context, tx, { target: this.#target, collection, row }, past);
      if (change) changes.push(change);
    }
    return { handled, changes };
  }
}
