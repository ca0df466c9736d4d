import type { Actor } from '../../../platform/http/index.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import { deleteSpec, findSpec, findSpecSize, saveSpec } from './store.ts';

/** What specs need to know of pages. */
export interface Pages {
  find(db: Db, idOrSlug: string): Promise<PageRow | undefined>;
  /** Reads a page so that nobody else changes it before this transaction ends. */
  lock(tx: Tx, id: number): Promise<PageRow | undefined>;
  /** Returns the page to those who may see or change it, and fails for others. */
  require(
    db: Db,
    page: PageRow | undefined,
    actor: Actor | undefined,
    action: 'see' | 'own',
  ): Promise<PageRow>;
}

/** What the verbs of agent specs work with. */
export interface SpecContext {
  db: Db;
  now: () => number;
  pages: Pages;
  /** Counts what the owner of a page stores. Fails when that would pass their quota. */
  chargeUsage(tx: Tx, userId: number, change: { bytes: number }): Promise<void>;
}

/** Writes a page's spec, and charges its owner for what it grows by. */
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

/** Gives a fork its source's spec. */
export function copySpec(now: () => number) {
  return async (tx: Tx, from: { id: number }, to: { id: number }): Promise<number> => {
    const saved = await findSpec(tx, from.id);
    if (!saved) return 0;
    await saveSpec(tx, to.id, saved.spec, now());
    return Buffer.byteLength(saved.spec);
  };
}

/** Returns what a page's spec took up. It is deleted with the page's row. */
export function freeSpec(tx: Tx, page: { id: number }): Promise<number> {
  return findSpecSize(tx, page.id);
}
