import { contentEndpoints } from '../../../../contract/admin/content-endpoints.ts';
import { done } from '../../../../contract/fields.ts';
import { notFound } from '../../../lib/errors.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { AdminContext } from '../context.ts';
import { galleryRoutes } from './gallery.ts';
import { takeFunctionDown, takePageDown } from './take-down.ts';

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
    handle(contentEndpoints.listAllPages, async ({ query }) => ({
      ...(await pages.list(query)),
      limit: query.limit,
      offset: query.offset,
    })),
    handle(contentEndpoints.getAnyPage, async ({ params }) => {
      const page = await pages.detail(params.id);
      if (!page) throw notFound('This page was not found.');
      return { page };
    }),
  ];
}

function pageBlockRoutes(context: AdminContext): Route[] {
  return [
    handle(contentEndpoints.takePageDown, async ({ params, body, actor, address }) => {
      await takePageDown(context, { actor, address }, params.id, body.reason);
      return done('The page is taken down.');
    }),
    handle(contentEndpoints.restorePage, async ({ params, actor, address }) => {
      await takePageDown(context, { actor, address }, params.id, undefined);
      return done('The page is not taken down.');
    }),
  ];
}

function functionReadRoutes({ functions }: AdminContext): Route[] {
  return [
    handle(contentEndpoints.listAllFunctions, async ({ query }) => ({
      ...(await functions.list(query)),
      limit: query.limit,
      offset: query.offset,
    })),
    handle(contentEndpoints.getAnyFunction, async ({ params }) => {
      const found = await functions.detail(params.slug);
      if (!found) throw notFound('This function was not found.');
      return { function: found };
    }),
  ];
}

function functionBlockRoutes(context: AdminContext): Route[] {
  return [
    handle(contentEndpoints.takeFunctionDown, async ({ params, body, actor, address }) => {
      await takeFunctionDown(context, { actor, address }, params.slug, body.reason);
      return done('The function is taken down.');
    }),
    handle(contentEndpoints.restoreFunction, async ({ params, actor, address }) => {
      await takeFunctionDown(context, { actor, address }, params.slug, undefined);
      return done('The function is not taken down.');
    }),
  ];
}
