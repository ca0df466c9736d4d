import type { Actor, Caller } from '../../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import { deleteSpec, findSpec, findSpecSize, saveSpec } from './store.ts';

/** What specs need to know about pages. */
export interface Pages {
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Reads a page and locks it until this transaction ends. */
  lock(tx: Tx, id: number): Promise<PageRow | undefined>;
  /** Returns the page if the caller can see it, and fails otherwise. */
  see(db: Db, page: PageRow | undefined, caller: Caller): Promise<PageRow>;
  /** Returns the page if the user owns it, and fails otherwise. */
  require(db: Db, page: PageRow | undefined, actor: Actor, action: 'own'): Promise<PageRow>;
}

/** What the operations on agent specs need. */
export interface SpecContext {
  db: Db;
  now: () => number;
  pages: Pages;
  /** Counts what the owner of a page stores. Fails if that exceeds their quota. */
  chargeUsage(tx: Tx, userId: number, change: { bytes: number }): Promise<void>;
}

/** Writes a page's spec, and charges its owner for the growth. */
export function putSpec(
  { db, now, pages, chargeUsage }: SpecContext,
  actor: Actor,
  pageId: number,
  spec: string,
) {
  return db.transaction().execute(async (tx) => {
    const page = await pages.require(tx, await pages.lock(tx, pageId), actor, 'own');
    const bytes = Buffer.byteLength(spec) - (await findSpecSize(tx, pageId));
    await chargeUsage(tx, page.owner_id, { bytes });
    return saveSpec(tx, pageId, spec, now());
  });
}

/** Removes a page's spec, and its bytes from the owner's usage. */
export async function removeSpec(
  { db, pages, chargeUsage }: SpecContext,
  actor: Actor,
  pageId: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const page = await pages.require(tx, await pages.lock(tx, pageId), actor, 'own');
    await chargeUsage(tx, page.owner_id, { bytes: -(await findSpecSize(tx, pageId)) });
    await deleteSpec(tx, pageId);
  });
}

/** Copies the spec of the source to a fork. */
export function copySpec(now: () => number) {
  return async (tx: Tx, from: { id: number }, to: { id: number }): Promise<number> => {
    const saved = await findSpec(tx, from.id);
    if (!saved) return 0;
    await saveSpec(tx, to.id, saved.spec, now());
    return Buffer.byteLength(saved.spec);
  };
}

/** Returns the size of a page's spec. It is deleted with the page's row. */
export function freeSpec(tx: Tx, page: { id: number }): Promise<number> {
  return findSpecSize(tx, page.id);
}
