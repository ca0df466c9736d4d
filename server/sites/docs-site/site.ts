import { z } from 'zod';
import type { Endpoint } from '../../../contract/endpoint.ts';
import { operationEndpoints } from '../../../contract/operations/endpoints.ts';
import { notFound } from '../../lib/errors.ts';
import {
  handle,
  makeVariants,
  type Route,
  route,
  sendVariants,
  type Variants,
} from '../../platform/http/index.ts';
import { keepPage } from './keep.ts';
import { openApiDocument } from './reference/openapi.ts';
import { groupPage, listGroups, referencePage } from './reference/page.ts';
import { createDocs } from './routes.ts';
import { DOCS_FOLDER, DOCS_PATH } from './shelf.ts';

/** The documentation, and the API reference for programs and for people. */
export function docsRoutes(options: {
  baseUrl: string;
  version: string;
  /** The routes that the reference describes. It also describes its own. */
  routes: Route[];
  /** Endpoints that are served without a route. */
  described: Endpoint[];
}): Route[] {
  const docs = createDocs({ folder: DOCS_FOLDER, baseUrl: options.baseUrl });
  let openApi: Record<string, unknown> | undefined;
  // Made on request, because it describes the routes below too.
  const document = () => {
    openApi ??= openApiDocument([...options.routes, ...own, ...options.described], options);
    return openApi;
  };
  const packed = createPacked(() => JSON.stringify(document()));
  const reference = keepPage(() => referencePage(document(), docs.navigation()));
  let kept: Map<string, ReturnType<typeof keepPage>> | undefined;
  const groups = () => {
    kept ??= new Map(
      listGroups(document()).map((group) => [
        group.name,
        keepPage(() => groupPage(group, docs.navigation())),
      ]),
    );
    return kept;
  };
  const own: Route[] = [
    handle(operationEndpoints.getDescription, async ({ request }) =>
      sendVariants(await packed(), request, {
        'content-type': 'application/json',
        'cache-control': 'no-cache',
      }),
    ),
    route({
      method: 'GET',
      path: `${DOCS_PATH}/api`,
      access: { kind: 'public' },
      summary: 'The API reference',
      handle: ({ request }) => reference(request),
    }),
    route({
      method: 'GET',
      path: `${DOCS_PATH}/api/:group`,
      access: { kind: 'public' },
      summary: 'A group of the API reference',
      params: z.object({ group: z.string() }),
      handle({ request, params }) {
        const page = groups().get(params.group);
        if (!page) throw notFound('This page of the documentation was not found.');
        return page(request);
      },
    }),
    // After the reference, because a document could have the same name.
    ...docs.routes,
  ];
  return own;
}

/** A text that does not change, compressed on the first request. */
function createPacked(read: () => string): () => Promise<Variants> {
  let packed: Promise<Variants> | undefined;
  return () => {
    if (!packed) {
      const text = read();
      packed = makeVariants(new TextEncoder().encode(text), Bun.hash(text).toString(36));
    }
    return packed;
  };
}
