import {
  AdminFunctionDetail,
  AdminFunctionList,
  AdminFunctionQuery,
  AdminPageDetail,
  AdminPageList,
  AdminPageQuery,
  adminSlugParams,
} from '../../../../contract/admin/content.ts';
import { BlockBody } from '../../../../contract/admin/users.ts';
import { Done, idParams, NoFields } from '../../../../contract/fields.ts';
import { ADMIN_SCOPE } from '../../../../contract/scopes.ts';
import { notFound } from '../../../lib/errors.ts';
import { type Route, route } from '../../../platform/http/index.ts';
import type { AdminContext } from '../context.ts';
import { galleryRoutes } from './gallery.ts';
import { takeFunctionDown, takePageDown } from './take-down.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

/** The pages and functions of all users: their names, and whether people can reach them. */
export function contentRoutes(context: AdminContext): Route[] {
  return [
    ...pageReadRoutes(context),
    ...pageBlockRoutes(context),
    ...galleryRoutes(context),
    ...functionReadRoutes(context),
    ...functionBlockRoutes(context),
  ];
}

function pageReadRoutes({ pages }: AdminContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/admin/pages',
      operationId: 'listAllPages',
      access,
      summary: 'List the pages of all users, the newest first; without their content',
      query: AdminPageQuery,
      response: AdminPageList,
      handle: async ({ query }) => ({
        ...(await pages.list(query)),
        limit: query.limit,
        offset: query.offset,
      }),
    }),
    route({
      method: 'GET',
      path: '/api/admin/pages/:id',
      operationId: 'getAnyPage',
      access,
      summary: 'Read about a page of any user: its owner, size and access; without its content',
      params: idParams,
      response: AdminPageDetail,
      async handle({ params }) {
        const page = await pages.detail(params.id);
        if (!page) throw notFound('This page');
        return { page };
      },
    }),
  ];
}

function pageBlockRoutes(context: AdminContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/admin/pages/:id/take-down',
      operationId: 'takePageDown',
      access,
      summary: 'Take down a page: everybody gets 451. Its owner sees the reason',
      params: idParams,
      body: BlockBody,
      response: Done,
      async handle({ params, body, actor, address }) {
        await takePageDown(context, { actor, address }, params.id, body.reason);
        return { success: true, message: 'The page is taken down.' };
      },
    }),
    route({
      method: 'POST',
      path: '/api/admin/pages/:id/restore',
      operationId: 'restorePage',
      access,
      summary: 'Restore a page that was taken down',
      params: idParams,
      body: NoFields,
      bodyOptional: true,
      response: Done,
      async handle({ params, actor, address }) {
        await takePageDown(context, { actor, address }, params.id, undefined);
        return { success: true, message: 'The page is not taken down.' };
      },
    }),
  ];
}

function functionReadRoutes({ functions }: AdminContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/admin/functions',
      operationId: 'listAllFunctions',
      access,
      summary: 'List the functions of all users, the newest first; without their code',
      query: AdminFunctionQuery,
      response: AdminFunctionList,
      handle: async ({ query }) => ({
        ...(await functions.list(query)),
        limit: query.limit,
        offset: query.offset,
      }),
    }),
    route({
      method: 'GET',
      path: '/api/admin/functions/:slug',
      operationId: 'getAnyFunction',
      access,
      summary: 'Read about a function of any user: its owner and calls; without its code',
      params: adminSlugParams,
      response: AdminFunctionDetail,
      async handle({ params }) {
        const found = await functions.detail(params.slug);
        if (!found) throw notFound('This function');
        return { function: found };
      },
    }),
  ];
}

function functionBlockRoutes(context: AdminContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/admin/functions/:slug/take-down',
      operationId: 'takeFunctionDown',
      access,
      summary: 'Take down a function: calls get 451, and its schedules stop. Its owner sees the reason',
      params: adminSlugParams,
      body: BlockBody,
      response: Done,
      async handle({ params, body, actor, address }) {
        await takeFunctionDown(context, { actor, address }, params.slug, body.reason);
        return { success: true, message: 'The function is taken down.' };
      },
    }),
    route({
      method: 'POST',
      path: '/api/admin/functions/:slug/restore',
      operationId: 'restoreFunction',
      access,
      summary: 'Restore a function that was taken down',
      params: adminSlugParams,
      body: NoFields,
      bodyOptional: true,
      response: Done,
      async handle({ params, actor, address }) {
        await takeFunctionDown(context, { actor, address }, params.slug, undefined);
        return { success: true, message: 'The function is not taken down.' };
      },
    }),
  ];
}
