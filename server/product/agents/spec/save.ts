import type { Actor } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../accounts/index.ts';
import { type CopyToFork, lockPage, type RemoveWithPage, requirePage } from '../../pages/index.ts';
import { deleteSpec, findSpec, findSpecSize, saveSpec } from './store.ts';

export interface SpecContext {
  db: Db;
  now: () => number;
  chargeUsage: ChargeUsage;
}

/** Writes a page's spec, and charges its owner for what it grows by. */
export function putSpec({ db, now, chargeUsage }: SpecContext, actor: Actor, pageId: number, spec: string) {
  return db.transaction().execute(async (tx) => {
    const page = await requirePage(tx, await lockPage(tx, pageId), actor, 'own');
    const bytes = Buffer.byteLength(spec) - (await findSpecSize(tx, pageId));
    await chargeUsage(tx, page.owner_id, { bytes });
    return saveSpec(tx, pageId, spec, now());
  });
}

/** Removes a page's spec, and its bytes from the owner's usage. */
export async function removeSpec(
  { db, chargeUsage }: SpecContext,
  actor: Actor,
  pageId: number,
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const page = await requirePage(tx, await lockPage(tx, pageId), actor, 'own');
    await chargeUsage(tx, page.owner_id, { bytes: -(await findSpecSize(tx, pageId)) });
    await deleteSpec(tx, pageId);
  });
}

/** Gives a fork its source's spec. */
export function copySpec(now: () => number): CopyToFork {
  return async (tx, from, to) => {
    const saved = await findSpec(tx, from.id);
    if (!saved) return 0;
    await saveSpec(tx, to.id, saved.spec, now());
    return Buffer.byteLength(saved.spec);
  };
}

/** Tells what a page's spec took up; it goes with the page's row. */
export const freeSpec: RemoveWithPage = (tx, page) => findSpecSize(tx, page.id);
