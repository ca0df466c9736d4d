import { done } from '../../../contract/fields.ts';
import { pageEndpoints } from '../../../contract/pages/endpoints.ts';
import { type ListQuery, pageUrl } from '../../../contract/pages/pages.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import { accessRoutes } from './access/routes.ts';
import type { PagesContext } from './context.ts';
import { createPage } from './create.ts';
import { draftRoutes } from './drafts/routes.ts';
import { fileRoutes } from './files/routes.ts';
import { forkPage } from './fork.ts';
import { galleryRoutes } from './gallery/routes.ts';
import { galleryScreens } from './gallery/screens.ts';
import { messageRoutes } from './messages/routes.ts';
import { oldSlugRoutes } from './old-slugs/routes.ts';
import { pictureRoutes } from './pictures/routes.ts';
import { findPictures, needsPicture } from './pictures/store.ts';
import { readPage } from './read.ts';
import { listSharedPages } from './shared/list.ts';
import { findPageBySlug, listPages } from './store.ts';
import { patchPage, removePage } from './update.ts';
import { versionRoutes } from './versions/routes.ts';
import { visitorRoutes } from './visitor-routes.ts';
import { toAccess, toCreated, toListItem, toLookup } from './wire.ts';

export function pageRoutes(context: PagesContext): Route[] {
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
  ];
}

function catalogRoutes(context: PagesContext): Route[] {
  const { db, baseUrl, directory } = context;
  return [
    handle(pageEndpoints.createPage, async ({ body, actor, address }) => {
      const user = actor;
      const page = await createPage(context, user, body, address);
      return {
        ...toCreated(page, baseUrl, body.access && toAccess(page, body.access.people)),
        url: pageUrl(baseUrl, page.slug),
        version: page.version,
        warnings: await context.warnings.find(body.html_content, user.userId, page.id),
      };
    }),
    handle(pageEndpoints.listPages, ({ query, actor }) => listOwnPages(context, actor.userId, query)),
    handle(pageEndpoints.listSharedPages, ({ query, actor }) => listSharedPages(context, actor, query)),
    handle(pageEndpoints.lookUpPage, async ({ query, caller }) =>
      toLookup(await directory.see(db, await findPageBySlug(db, query.slug), caller)),
    ),
  ];
}

function pageItemRoutes(context: PagesContext): Route[] {
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
      toCreated(await forkPage(context, caller, params.id), context.baseUrl),
    ),
  ];
}

async function listOwnPages(context: PagesContext, ownerId: number, query: ListQuery) {
  const { db, baseUrl, views } = context;
  await views.flushIfPossible();
  const { rows, total } = await listPages(db, { ownerId, ...query });
  for (const row of rows) row.views += views.pending(row.id);
  const ids = rows.map(({ id }) => id);
  const pictures = await findPictures(db, ids);
  // Pages from before there were pictures, and those whose picture failed.
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
