import { contentEndpoints } from '../../../../contract/admin/content-endpoints.ts';
import { done } from '../../../../contract/fields.ts';
import { notFound } from '../../../lib/errors.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { type AuditActor, record } from '../actions.ts';
import type { AdminContext } from '../context.ts';

/** Routes with which administrators remove pages from the gallery. */
export function galleryRoutes(context: AdminContext): Route[] {
  return [
    handle(contentEndpoints.removeFromGallery, async ({ params, body, actor, address }) => {
      await setUnlisted(context, { actor, address }, params.id, body.reason);
      return done('The page is not in the gallery, and cannot be added again.');
    }),
    handle(contentEndpoints.allowInGallery, async ({ params, actor, address }) => {
      await setUnlisted(context, { actor, address }, params.id, undefined);
      return done('The owner of the page can add it to the gallery.');
    }),
  ];
}

async function setUnlisted(
  context: AdminContext,
  auditActor: AuditActor,
  id: number,
  reason: string | undefined,
): Promise<void> {
  const { db, now, pages } = context;
  if (!(await pages.detail(id))) throw notFound('This page was not found.');
  const announce = await db.transaction().execute(async (tx) => {
    const removal = reason === undefined ? null : { at: now(), reason };
    const changed = await pages.setUnlisted(tx, id, removal);
    if (!changed) return undefined;
    await record(context, tx, auditActor, {
      action: removal ? 'page.remove_from_gallery' : 'page.allow_in_gallery',
      target: { kind: 'page', id, name: changed.row.slug },
      ownerId: changed.row.owner_id,
      ...(removal && { details: { reason: removal.reason } }),
    });
    return changed.announce;
  });
  announce?.();
}
