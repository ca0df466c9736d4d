import { done } from '../../../contract/fields.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { type ListQuery, pageUrl } from '../../../contract/pages/pages.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import { type AccessContext, accessRoutes } from './access/routes.ts';
import { type VisitorContext, visitorRoutes } from './access/visitor-routes.ts';
import { type AnonymousContext, anonymousRoutes } from './anonymous/routes.ts';
import type { DraftContext } from './drafts/find.ts';
import { draftRoutes } from './drafts/routes.ts';
import { type CreateContext, createPage } from './editing/create.ts';
import { forkPage } from './editing/fork.ts';
import { messageRoutes } from './editing/message-routes.ts';
import { oldSlugRoutes } from './editing/old-slug-routes.ts';
import { readPage } from './editing/read.ts';
import { type RemoveContext, removePage } from './editing/remove.ts';
import { patchPage, type UpdateContext } from './editing/update.ts';
import { versionRoutes } from './editing/version-routes.ts';
import { fileRoutes } from './files/routes.ts';
import type { Gallery } from './gallery/gallery.ts';
import { galleryRoutes } from './gallery/routes.ts';
import { type GalleryContext, galleryScreens } from './gallery/screens.ts';
import { findPageBySlug } from './model/page-store.ts';
import { toAccess, toCreated, toListItem, toLookup } from './model/wire.ts';
import { listPageIds, listPages, readPages } from './own/store.ts';
import { type PictureContext, pictureRoutes } from './pictures/routes.ts';
import { findPictures, needsPicture } from './pictures/store.ts';
import type { Views } from './serving/views.ts';
import { listSharedPages, type SharedContext } from './shared/list.ts';

export type RoutesContext = AccessContext &
  VisitorContext &
  CreateContext &
  UpdateContext &
  RemoveContext &
  DraftContext &
  GalleryContext &
  PictureContext &
  SharedContext &
  AnonymousContext & {
    gallery: Gallery;
    views: Views;
    /** How often each of these pages was seen in the last days; pages that nobody saw are left out. */
    countRecentViews(pageIds: number[]): Promise<Map<number, number>>;
  };

export function pageRoutes(context: RoutesContext): Route[] {
  return [
    ...catalogRoutes(context),
    ...pageItemRoutes(context),
    ...fileRoutes(context),
    ...versionRoutes(context),
    ...draftRoutes(context),
    ...oldSlugRoutes(context),
    ...messageRoutes(context),
    ...visitorRoutes(context),
    ...accessRoutes(context),
    ...galleryRoutes(context.gallery),
    ...galleryScreens(context),
    ...pictureRoutes(context),
    ...anonymousRoutes(context),
  ];
}

function catalogRoutes(context: RoutesContext): Route[] {
  const { db, baseUrl, directory } = context;
  return [
    handle(pageEndpoints.createPage, async ({ body, actor, address }) => {
      const page = await createPage(context, actor, body, address);
      return {
        ...toCreated(
          page,
          await context.functions.list(db, page),
          baseUrl,
          body.access && toAccess(page, body.access.people),
        ),
        url: pageUrl(baseUrl, page.slug),
        version: page.version,
        warnings: await context.warnings.find(body.html_content, actor.userId, page.id),
      };
    }),
    handle(pageEndpoints.listPages, ({ query, actor }) => listOwnPages(context, actor.userId, query)),
    handle(pageEndpoints.listSharedPages, ({ query, actor }) => listSharedPages(context, actor, query)),
    handle(pageEndpoints.lookUpPage, async ({ query, caller }) =>
      toLookup(await directory.see(db, await findPageBySlug(db, query.slug), caller)),
    ),
  ];
}

function pageItemRoutes(context: RoutesContext): Route[] {
  return [
    handle(pageEndpoints.getPage, ({ params, query, actor }) =>
      readPage(context, actor, params.id, query.before),
    ),
    handle(pageEndpoints.updatePage, ({ params, body, actor, address }) =>
      patchPage(context, actor, params.id, body, address),
    ),
    handle(pageEndpoints.deletePage, async ({ params, actor }) => {
      await removePage(context, actor, params.id);
      return done('The page and everything in it are deleted.');
    }),
    handle(pageEndpoints.forkPage, async ({ params, caller }) =>
      // Functions belong to one page: they stay with the source.
      toCreated(await forkPage(context, caller, params.id), [], context.baseUrl),
    ),
  ];
}

async function listOwnPages(context: RoutesContext, ownerId: number, query: ListQuery) {
  const { db, baseUrl, views } = context;
  await views.flushIfPossible();
  const { order, ...rest } = query;
  const filter = { ownerId, ...rest };
  const { rows, total } =
    order === 'activity' ? await listByActivity(context, filter) : await listPages(db, { ...filter, order });
  for (const row of rows) row.views += views.pending(row.id);
  const ids = rows.map(({ id }) => id);
  const pictures = await findPictures(db, ids);
  // Take pictures of pages that are older than this feature, and of those whose picture failed.
  const now = context.now();
  for (const { id, version } of rows)
    if (needsPicture(pictures.get(id), version, now)) context.pictures.want(id);
  return {
    pages: rows.map((row) => toListItem(row, pictures.get(row.id), baseUrl)),
    total,
    limit: query.limit,
    offset: query.offset,
  };
}

/** The pages that were seen most come first, then those that were changed last. */
async function listByActivity(
  { db, countRecentViews }: RoutesContext,
  filter: Omit<ListQuery, 'order'> & { ownerId: number },
) {
  const ids = await listPageIds(db, filter);
  const views = await countRecentViews(ids);
  const inOrder = ids.sort((a, b) => (views.get(b) ?? 0) - (views.get(a) ?? 0));
  const { offset, limit } = filter;
  return { rows: await readPages(db, inOrder.slice(offset, offset + limit)), total: ids.length };
}
