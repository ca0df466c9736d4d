import { Done, idParams, NoFields } from '../../../contract/fields.ts';
import {
  BeforeQuery,
  CreatedPage,
  CreatePage,
  ListQuery,
  LookupQuery,
  LookupRecord,
  PAGE_BODY_LIMIT,
  PageList,
  PageWithExtras,
  PatchedPage,
  PatchPage,
  PublishedPage,
  pageUrl,
} from '../../../contract/pages/pages.ts';
import { SharedPageList, SharedPagesQuery } from '../../../contract/pages/shared-pages.ts';
import { type Actor, type Route, route, signedIn, signedInCaller } from '../../platform/http/index.ts';
import { peopleOf } from './access/change.ts';
import { accessRoutes } from './access/routes.ts';
import { findAgentFunctions } from './agent-functions/store.ts';
import type { PagesContext } from './context.ts';
import { createPage } from './create.ts';
import { draftRoutes } from './drafts/routes.ts';
import { fileRoutes } from './files/routes.ts';
import { forkPage } from './fork.ts';
import { galleryRoutes } from './gallery/routes.ts';
import { galleryScreens } from './gallery/screens.ts';
import { readMessages } from './messages/messages.ts';
import { messageRoutes } from './messages/routes.ts';
import { oldSlugRoutes } from './old-slugs/routes.ts';
import { pictureRoutes } from './pictures/routes.ts';
import { findPicture, findPictures, needsPicture } from './pictures/store.ts';
import { listSharedPages } from './shared/list.ts';
import { findDocument, findPageBySlug, listPages } from './store.ts';
import { patchPage, removePage } from './update.ts';
import { versionRoutes } from './versions/routes.ts';
import { visitorRoutes } from './visitor-routes.ts';
import { toAccess, toCreated, toDetail, toListItem, toLookup, toMessage } from './wire.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

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
    route({
      method: 'POST',
      path: '/api/pages',
      operationId: 'createPage',
      failures: ['QUOTA_EXCEEDED'],
      access: WRITE,
      summary: 'Publish a page',
      body: CreatePage,
      bodyLimit: PAGE_BODY_LIMIT,
      status: 201,
      response: PublishedPage,
      async handle({ body, actor, address }) {
        const user = signedIn(actor);
        const page = await createPage(context, user, body, address);
        return {
          ...toCreated(page, baseUrl, body.access && toAccess(page, body.access.people)),
          url: pageUrl(baseUrl, page.slug),
          version: page.version,
          warnings: await context.warnings.find(body.html_content, user.userId, page.id),
        };
      },
    }),
    route({
      method: 'GET',
      path: '/api/pages',
      operationId: 'listPages',
      access: READ,
      summary: 'List your pages',
      query: ListQuery,
      response: PageList,
      handle: ({ query, actor }) => listOwnPages(context, signedIn(actor).userId, query),
    }),
    route({
      method: 'GET',
      path: '/api/pages/shared',
      operationId: 'listSharedPages',
      access: READ,
      summary: 'List pages of other people whose team you are in, or that name you as one who can see them',
      query: SharedPagesQuery,
      response: SharedPageList,
      handle: ({ query, actor }) => listSharedPages(context, signedIn(actor), query),
    }),
    route({
      method: 'GET',
      path: '/api/pages/lookup',
      operationId: 'lookUpPage',
      failures: ['NOT_FOUND'],
      access: READ,
      summary: 'Find a page by its slug',
      query: LookupQuery,
      response: LookupRecord,
      handle: async ({ query, caller }) =>
        toLookup(await directory.see(db, await findPageBySlug(db, query.slug), caller)),
    }),
  ];
}

function pageItemRoutes(context: PagesContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id',
      operationId: 'getPage',
      access: READ,
      summary:
        'Read a page with its document and the last 200 messages of its editing thread, or the 200 before one of them',
      params: idParams,
      query: BeforeQuery,
      response: PageWithExtras,
      handle: ({ params, query, actor }) => readPage(context, actor, params.id, query.before),
    }),
    route({
      method: 'PATCH',
      path: '/api/pages/:id',
      operationId: 'updatePage',
      failures: ['INVALID_SLUG', 'QUOTA_EXCEEDED', 'SLUG_TAKEN', 'CONFLICT'],
      access: WRITE,
      summary: 'Change a page: all given fields, or none',
      params: idParams,
      body: PatchPage,
      bodyLimit: PAGE_BODY_LIMIT,
      response: PatchedPage,
      handle: ({ params, body, actor, address }) =>
        patchPage(context, signedIn(actor), params.id, body, address),
    }),
    route({
      method: 'DELETE',
      path: '/api/pages/:id',
      operationId: 'deletePage',
      access: WRITE,
      summary: 'Delete a page and everything in it, for good',
      params: idParams,
      response: Done,
      async handle({ params, actor }) {
        await removePage(context, signedIn(actor), params.id);
        return { success: true, message: 'The page and everything in it are deleted.' };
      },
    }),
    route({
      method: 'POST',
      path: '/api/pages/:id/fork',
      operationId: 'forkPage',
      failures: ['QUOTA_EXCEEDED'],
      access: { kind: 'owner', scope: 'pages:write' },
      summary: 'Make your own copy of a page, without its data',
      params: idParams,
      status: 201,
      body: NoFields,
      bodyOptional: true,
      response: CreatedPage,
      handle: async ({ params, caller }) =>
        toCreated(await forkPage(context, signedInCaller(caller), params.id), context.baseUrl),
    }),
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

/** A page with its document and a part of its editing thread. */
async function readPage(
  { db, baseUrl, directory, views }: PagesContext,
  actor: Actor | undefined,
  id: number,
  before: number | undefined,
) {
  await views.flushIfPossible();
  const found = await findDocument(db, { id });
  if (found) found.views += views.pending(found.id);
  const page = await directory.require(db, found, actor, 'read');
  const messages = await readMessages(db, page.id, before);
  const functions = await findAgentFunctions(db, page.id);
  const people = await peopleOf(db, page);
  const picture = await findPicture(db, page.id);
  const { html_content } = page;
  return {
    page: toDetail(page, { html_content, agent_functions: functions, people, picture }, baseUrl),
    // A page has one editing thread, which has the page's id.
    conversationId: page.id,
    messages: messages.map(toMessage),
    versionCount: page.version,
    storageMode: page.storage_mode,
  };
}
