import { join } from 'node:path';
import { z } from 'zod';
import packageJson from '../package.json' with { type: 'json' };
import { createDocs, keepPage } from './docs/index.ts';
import { type Route, route } from './http/index.ts';
import { openApiDocument, referencePage } from './reference/index.ts';

const DOCS_FOLDER = join(import.meta.dir, '../docs');

/** Routes about the service as a whole: its health, its description, its documentation. */
export function serviceRoutes(context: {
  baseUrl: string;
  routes: Route[];
  health(): Promise<Record<string, unknown>>;
}): Route[] {
  const { baseUrl, routes, health } = context;
  const document = openApiDocument(routes, { version: packageJson.version, baseUrl });
  const docs = createDocs({ folder: DOCS_FOLDER, baseUrl });
  const reference = keepPage(() => referencePage(document, docs.navigation()));

  return [
    route({
      method: 'GET',
      path: '/healthz',
      access: { kind: 'public' },
      summary: 'Whether the service is ready',
      response: z.object({ status: z.literal('ok') }).catchall(z.unknown()),
      handle: async () => ({ ...(await health()), version: packageJson.version }),
    }),
    route({
      method: 'GET',
      path: '/api/openapi.json',
      access: { kind: 'public' },
      summary: 'This description',
      handle: () => document,
    }),
    route({
      method: 'GET',
      path: '/docs/api',
      access: { kind: 'public' },
      summary: 'The API reference',
      handle: ({ request }) => reference(request),
    }),
    // After the reference, which has a name that a document could have.
    ...docs.routes,
  ];
}
