import type { Actor } from '../../../platform/http/index.ts';
import type { Db, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage, PageDirectory } from '../../ports.ts';
import { deleteSpec, findSpec, findSpecSize, saveSpec } from './store.ts';

/** The dependencies of the operations on agent specs. */
export interface SpecContext {
  db: Db;
  now: () => number;
  pages: PageDirectory;
  chargeUsage: ChargeUsage;
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
