import { BlockBody } from '../../../../contract/admin/users.ts';
import { Done, idParams, NoFields } from '../../../../contract/fields.ts';
import { ADMIN_SCOPE } from '../../../../contract/scopes.ts';
import { notFound } from '../../../lib/errors.ts';
import { type Route, route } from '../../../platform/http/index.ts';
import { type Doer, record } from '../actions.ts';
import type { AdminContext } from '../context.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

/** What administrators do with pages in the gallery. */
export function galleryRoutes(context: AdminContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/admin/pages/:id/gallery/remove',
      operationId: 'removeFromGallery',
      access,
      summary: 'Remove a page from the gallery. The page itself stays. Its owner sees the reason',
      params: idParams,
      body: BlockBody,
      response: Done,
      async handle({ params, body, actor, address }) {
        await setUnlisted(context, { actor, address }, params.id, body.reason);
        return { success: true, message: 'The page is not in the gallery, and cannot be added again.' };
      },
    }),
    route({
      method: 'POST',
      path: '/api/admin/pages/:id/gallery/allow',
      operationId: 'allowInGallery',
      access,
      summary: 'Let the owner of a page that was removed from the gallery add it again',
      params: idParams,
      body: NoFields,
      bodyOptional: true,
      response: Done,
      async handle({ params, actor, address }) {
        await setUnlisted(context, { actor, address }, params.id, undefined);
        return { success: true, message: 'The owner of the page can add it to the gallery.' };
      },
    }),
  ];
}

async function setUnlisted(
  context: AdminContext,
  doer: Doer,
  id: number,
  reason: string | undefined,
): Promise<void> {
  const { db, now, pages } = context;
  if (!(await pages.detail(id))) throw notFound('This page');
  const announce = await db.transaction().execute(async (tx) => {
    const removal = reason === undefined ? null : { at: now(), reason };
    const changed = await pages.setUnlisted(tx, id, removal);
    if (!changed) return undefined;
    await record(context, tx, doer, {
      action: removal ? 'page.remove_from_gallery' : 'page.allow_in_gallery',
      target: { kind: 'page', id, name: changed.row.slug },
      ownerId: changed.row.owner_id,
      ...(removal && { details: { reason: removal.reason } }),
    });
    return changed.announce;
  });
  announce?.();
}
