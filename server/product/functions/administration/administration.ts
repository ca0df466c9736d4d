import type {
  AdminFunction,
  AdminFunctionDetail,
  AdminFunctionQuery,
} from '../../../../contract/admin/content.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { Registry } from '../calls/registry.ts';
import { listStats } from '../logs/stats-store.ts';
import { setRemovedTakenDown } from '../model/removed-store.ts';
import { lockFunction } from '../model/store.ts';
import { listSchedules } from '../schedules/store.ts';
import {
  findForAdministrators,
  type ListedFunction,
  listForAdministrators,
  setCopiesTakenDown,
  setOwnerBlocked,
  setTakenDown,
} from './store.ts';

const WEEK_MS = 7 * 24 * 3600 * 1000;

interface Options {
  db: Db;
  now: () => number;
  registry: Registry;
  /** Starts the work of functions that was waiting. */
  wake(): void;
  /** The account that owns what people try; undefined if nobody has tried anything yet. */
  peekTrialOwner(): Promise<number | undefined>;
}

/** The functions, as administrators see and change them. Changes are published to all nodes after their commit. */
export class FunctionAdministration {
  readonly #options: Options;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Lists functions. Those that somebody tries end after two minutes, and are listed only if their owner is asked for. */
  async list(filter: AdminFunctionQuery): Promise<{ functions: AdminFunction[]; total: number }> {
    const { db, peekTrialOwner } = this.#options;
    const hidden = filter.owner === undefined ? await peekTrialOwner() : undefined;
    const { rows, total } = await listForAdministrators(db, filter, hidden);
    return { functions: rows.map(toWire), total };
  }

  async detail(slug: string): Promise<AdminFunctionDetail['function'] | undefined> {
    const { db, now } = this.#options;
    const row = await findForAdministrators(db, slug);
    if (!row) return undefined;
    const hours = await listStats(db, row.id, now() - WEEK_MS);
    return {
      ...toWire(row),
      schedules: (await listSchedules(db, row.id)).length,
      calls: hours.reduce((sum, { calls }) => sum + calls, 0),
      errors: hours.reduce((sum, { errors }) => sum + errors, 0),
    };
  }

  /** Stops all functions of an owner, or lets them run again. */
  async setOwnerBlocked(tx: Tx, ownerId: number, at: number | null): Promise<() => void> {
    const ids = await setOwnerBlocked(tx, ownerId, at);
    return () => this.#announce(ids, at !== null);
  }

  /** Takes a function down with its copies on branches, or restores them. Undefined if there is no such function, or it is not taken down. */
  async setTakenDown(tx: Tx, slug: string, down: { at: number; reason: string } | null) {
    const before = (await lockFunction(tx, slug))?.taken_down_at ?? null;
    const row = await setTakenDown(tx, slug, down);
    if (!row) return undefined;
    const copies = await setCopiesTakenDown(tx, { ...row, before }, down);
    await setRemovedTakenDown(tx, row.id, down);
    return { row, announce: () => this.#announce([row.id, ...copies], down !== null) };
  }

  #announce(ids: number[], isBlocked: boolean): void {
    const { registry, wake } = this.#options;
    for (const id of ids) {
      if (isBlocked) registry.block(id);
      else registry.drop(id);
    }
    if (!isBlocked) wake();
  }
}

const toWire = (row: ListedFunction): AdminFunction => ({
  id: row.id,
  slug: row.slug,
  displayName: row.display_name,
  owner: row.owner_id === null ? null : { id: row.owner_id, username: row.owner ?? '' },
  isPublic: row.is_public === 1,
  hasDatabase: row.database_id !== null,
  version: row.version,
  createdAt: toTimestamp(row.created_at),
  updatedAt: toTimestamp(row.updated_at),
  takenDown:
    row.taken_down_at === null
      ? null
      : { at: toTimestamp(row.taken_down_at), reason: row.taken_down_reason ?? '' },
  isOwnerBlocked: row.owner_blocked_at !== null,
});
