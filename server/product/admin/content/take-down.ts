import { pageUrl } from '../../../../contract/pages/pages.ts';
import { notFound } from '../../../lib/errors.ts';
import { type AuditActor, notify, record } from '../actions.ts';
import type { AdminContext } from '../context.ts';

/** Taking pages and functions down, and restoring them. Their owners see it. */

/** Takes a page down, or restores it if there is no reason. */
export async function takePageDown(
  context: AdminContext,
  auditActor: AuditActor,
  id: number,
  reason: string | undefined,
): Promise<void> {
  const { db, now, users, pages, baseUrl } = context;
  if (!(await pages.detail(id))) throw notFound('This page was not found.');
  const announce = await db.transaction().execute(async (tx) => {
    const down = reason === undefined ? null : { at: now(), reason };
    const changed = await pages.setTakenDown(tx, id, down);
    if (!changed) return undefined;
    if (down) await context.upholdReports(tx, id);
    const { name, slug, owner_id: ownerId } = changed.row;
    await record(context, tx, auditActor, {
      action: down ? 'page.take_down' : 'page.restore',
      target: { kind: 'page', id, name: slug },
      ownerId,
      ...(down && { details: { reason: down.reason } }),
    });
    const owner = await users.lock(tx, ownerId);
    const notice = down
      ? { kind: 'page taken down' as const, name, reason: down.reason, link: `${baseUrl}/pages/${id}` }
      : { kind: 'page restored' as const, name, link: pageUrl(baseUrl, slug) };
    await notify(context, tx, owner, notice);
    return changed.announce;
  });
  announce?.();
}

/** Takes a function down, or restores it if there is no reason. */
export async function takeFunctionDown(
  context: AdminContext,
  auditActor: AuditActor,
  slug: string,
  reason: string | undefined,
): Promise<void> {
  const { db, now, users, functions, baseUrl } = context;
  if (!(await functions.detail(slug))) throw notFound('This function was not found.');
  const announce = await db.transaction().execute(async (tx) => {
    const down = reason === undefined ? null : { at: now(), reason };
    const changed = await functions.setTakenDown(tx, slug, down);
    if (!changed) return undefined;
    const { id, owner_id: ownerId } = changed.row;
    await record(context, tx, auditActor, {
      action: down ? 'function.take_down' : 'function.restore',
      target: { kind: 'function', id, name: slug },
      ownerId: ownerId ?? undefined,
      ...(down && { details: { reason: down.reason } }),
    });
    const owner = ownerId === null ? undefined : await users.lock(tx, ownerId);
    const link = `${baseUrl}/functions/${slug}`;
    const notice = down
      ? { kind: 'function taken down' as const, name: slug, reason: down.reason, link }
      : { kind: 'function restored' as const, name: slug, link };
    await notify(context, tx, owner, notice);
    return changed.announce;
  });
  announce?.();
}
