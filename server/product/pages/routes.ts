import { z } from 'zod';
import { Done, idOrSlugParams, idParams } from '../../../contract/fields.ts';
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
  RenewedSession,
  Restored,
  VersionDetail,
  VersionList,
  VersionsQuery,
  Visitor,
} from '../../../contract/pages.ts';
import { notFound } from '../../lib/errors.ts';
import { type CookieJar, PAGE_COOKIE, type Route, route, signedIn } from '../../platform/http/index.ts';
import { PAGE_SESSION_SECONDS, type PageSessions } from '../accounts/index.ts';
import { requirePage, roleOf } from './access.ts';
import { createPage } from './create.ts';
import { type CopyToFork, forkPage } from './fork.ts';
import { readMessages } from './messages/messages.ts';
import { messageRoutes } from './messages/routes.ts';
import type { Views } from './serving/views.ts';
import {
  findDocument,
  findPage,
  findPageBySlug,
  findVersion,
  listPages,
  listVersions,
  type PageRow,
} from './store.ts';
import { patchPage, removePage, restoreVersion, type UpdateContext } from './update.ts';
import { toCreated, toDetail, toListItem, toLookup, toMessage, toVersion } from './wire.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

const versionParams = idParams.extend({
  version: z
    .string()
    .regex(/^[1-9]\d{0,8}$/)
    .transform(Number)
    .meta({ type: 'integer', minimum: 1, maximum: 999_999_999 }),
});

const VERSIONS_AT_ONCE = 200;

/** A body that may be left out, and may hold nothing. */
const NoFields = z.strictObject({});

export interface PagesContext extends UpdateContext {
  baseUrl: string;
  cookies: CookieJar;
  pageSessions: PageSessions;
  views: Views;
  copies: CopyToFork[];
  findPageByIdOrSlug(idOrSlug: string): Promise<PageRow | undefined>;
}

export function pageRoutes(context: PagesContext): Route[] {
  const { db, baseUrl, views } = context;

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
      response: CreatedPage,
      handle: async ({ body, actor }) => toCreated(await createPage(context, signedIn(actor), body), baseUrl),
    }),
    route({
      method: 'GET',
      path: '/api/pages',
      operationId: 'listPages',
      access: READ,
      summary: 'List your pages',
      query: ListQuery,
      response: PageList,
      async handle({ query, actor }) {
        await views.flushIfPossible();
        const { rows, total } = await listPages(db, { ownerId: signedIn(actor).userId, ...query });
        for (const row of rows) row.views += views.pending(row.id);
        return {
          pages: rows.map((row) => toListItem(row, baseUrl)),
          total,
          limit: query.limit,
          offset: query.offset,
        };
      },
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
      handle: async ({ query, actor }) =>
        toLookup(await requirePage(db, await findPageBySlug(db, query.slug), actor, 'see')),
    }),
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
      async handle({ params, query, actor }) {
        await views.flushIfPossible();
        const found = await findDocument(db, params);
        if (found) found.views += views.pending(found.id);
        const page = await requirePage(db, found, actor, 'read');
        const messages = await readMessages(db, page.id, query.before);
        return {
          page: toDetail(page, page.html_content, context.baseUrl),
          // A page has one editing thread, so the thread goes by the page's id.
          conversationId: page.id,
          messages: messages.map(toMessage),
          versionCount: page.version,
          storageMode: page.storage_mode,
        };
      },
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
      handle: ({ params, body, actor }) => patchPage(context, signedIn(actor), params.id, body),
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
      method: 'GET',
      path: '/api/pages/:id/versions',
      operationId: 'listPageVersions',
      access: READ,
      summary: 'List the last 200 versions of a page, newest first, or the 200 before one of them',
      params: idParams,
      query: VersionsQuery,
      response: VersionList,
      async handle({ params, query, actor }) {
        const page = await requirePage(db, await findPage(db, params.id), actor, 'read');
        const rows = await listVersions(db, page.id, query.before, VERSIONS_AT_ONCE);
        return { versions: rows.map((row) => toVersion(row, page.version)) };
      },
    }),
    route({
      method: 'GET',
      path: '/api/pages/:id/versions/:version',
      operationId: 'getPageVersion',
      access: READ,
      summary: 'Read one version with its document',
      params: versionParams,
      response: VersionDetail,
      async handle({ params, actor }) {
        const page = await requirePage(db, await findPage(db, params.id), actor, 'read');
        const row = await findVersion(db, page.id, params.version);
        if (!row) throw notFound(`Version ${params.version} of this page`);
        return { ...toVersion(row, page.version), html_content: row.html_content };
      },
    }),
    route({
      method: 'POST',
      path: '/api/pages/:id/versions/:version/restore',
      operationId: 'restorePageVersion',
      failures: ['QUOTA_EXCEEDED'],
      access: WRITE,
      summary: 'Make an earlier version current again, as a new version',
      params: versionParams,
      body: NoFields,
      bodyOptional: true,
      response: Restored,
      async handle({ params, actor }) {
        const version = await restoreVersion(context, signedIn(actor), params.id, params.version);
        return {
          success: true,
          message: `Version ${params.version} is back, as version ${version}.`,
          version,
        };
      },
    }),
    ...messageRoutes(context),
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
      handle: async ({ params, actor }) =>
        toCreated(await forkPage(context, signedIn(actor), params.id), baseUrl),
    }),
    route({
      method: 'GET',
      path: '/api/pages/:id/visitor',
      operationId: 'getVisitor',
      access: { kind: 'visitor or guest' },
      summary: "Who looks at the page, and what they are on its team; null when the visitor isn't logged in",
      params: idOrSlugParams,
      response: Visitor,
      async handle({ params, actor }) {
        const page = await requirePage(db, await context.findPageByIdOrSlug(params.id), actor, 'see');
        return {
          user: actor ? { id: actor.userId, username: actor.username } : null,
          role: (await roleOf(db, page, actor)) ?? null,
        };
      },
    }),
    route({
      method: 'POST',
      path: '/api/pages/:id/page-session',
      operationId: 'renewPageSession',
      access: { kind: 'visitor' },
      summary: "Renew a visitor's page session while the login lives",
      params: idOrSlugParams,
      response: RenewedSession,
      async handle({ params, actor, isOnPageHost }) {
        const page = await requirePage(db, await context.findPageByIdOrSlug(params.id), actor, 'see');
        const caller = signedIn(actor);
        const pageSession =
          caller.via === 'page session' ? context.pageSessions.make(caller, page.id) : undefined;
        if (!pageSession) throw notFound('A page session to renew');
        const expiresIn = PAGE_SESSION_SECONDS;
        // Where the browser holds it in a cookie, no script gets to see it.
        if (!isOnPageHost) return { pageSession, expiresIn };
        const cookie = context.cookies.set(PAGE_COOKIE, pageSession, PAGE_SESSION_SECONDS);
        return Response.json(
          { expiresIn },
          { headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } },
        );
      },
    }),
  ];
}
