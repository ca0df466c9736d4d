import { join } from 'node:path';
import { ADMIN_SCOPE } from '../../../contract/scopes.ts';
import { Alive, CacheHeaders, Description, Draining, Health, Ready } from '../../../contract/service.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { blockMatcher } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import { isPublicName } from '../../lib/host-names.ts';
import { createDocs, keepPage, openApiDocument, referencePage } from '../docs-site/index.ts';
import {
  makeVariants,
  type Route,
  type RouteDescription,
  route,
  sendVariants,
  type Variants,
} from '../http/index.ts';
import type { Readiness } from './health/index.ts';

const DOCS_FOLDER = join(import.meta.dir, '../../../docs');

/** Routes about the service as a whole: its health, its description, its documentation. */
export function serviceRoutes(context: {
  baseUrl: string;
  routes: Route[];
  /** What is answered without a route, for the API's description. */
  described: RouteDescription[];
  health(): Promise<Record<string, unknown>>;
  readiness: Pick<Readiness, 'answer'>;
  /** Every figure there is, for Prometheus. */
  metrics: { contentType: string; metrics(): Promise<string> };
  /** Address blocks that may read them without a token. */
  metricsAllow: string[];
}): Route[] {
  const { baseUrl, routes, health, readiness, metrics } = context;
  const ownHost = new URL(baseUrl).hostname;
  const isAllowed = blockMatcher(context.metricsAllow);
  const packed = createPacked(() => JSON.stringify(document));
  const docs = createDocs({ folder: DOCS_FOLDER, baseUrl });
  const reference = keepPage(() => referencePage(document, docs.navigation()));

  const own = [
    route({
      method: 'GET',
      path: '/healthz',
      operationId: 'getHealth',
      access: { kind: 'public' },
      summary: 'Whether the service is ready',
      response: Health,
      handle: async () => ({ ...(await health()), version: packageJson.version }),
    }),
    // The front door answers these two by itself; here they are for other methods and for the reference.
    route({
      method: 'GET',
      path: '/livez',
      operationId: 'getLiveness',
      access: { kind: 'public' },
      summary: 'Whether the process runs',
      response: Alive,
      handle: () => readiness.answer('/livez'),
    }),
    route({
      method: 'GET',
      path: '/readyz',
      operationId: 'getReadiness',
      access: { kind: 'public' },
      summary: 'Whether this node should be given traffic',
      response: Ready,
      answers: [
        {
          status: 503,
          description: 'The node is about to stop.',
          schema: Draining,
        },
      ],
      handle: () => readiness.answer('/readyz'),
    }),
    route({
      method: 'GET',
      path: '/metrics',
      operationId: 'getMetrics',
      answers: [{ status: 200, description: 'In the text format of Prometheus.', type: 'text/plain' }],
      access: { kind: 'operator', scope: ADMIN_SCOPE },
      summary: 'Figures for Prometheus',
      async handle({ actor, address, isAddressSure, request }) {
        if (!actor && !(isAddressSure && isAllowed(address))) {
          throw new AppError(
            'FORBIDDEN',
            'Metrics are for the operator: add your address to QUIRE_METRICS_ALLOW, or send a token with the scope admin.',
          );
        }
        const { hostname } = new URL(request.url);
        if (!actor && hostname !== ownHost && isPublicName(hostname)) {
          throw new AppError(
            'FORBIDDEN',
            `Metrics are not available at ${hostname}. Use the base URL, localhost or an IP address, or send a token with the scope admin.`,
          );
        }
        return new Response(await metrics.metrics(), {
          headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
        });
      },
    }),
    route({
      method: 'GET',
      path: '/api/openapi.json',
      operationId: 'getDescription',
      response: Description,
      headers: CacheHeaders,
      answers: [
        { status: 200, description: 'Success.', headers: ['ETag'] },
        { status: 304, description: 'The version that you have is current.', headers: ['ETag'] },
      ],
      access: { kind: 'public' },
      summary: 'This description',
      handle: async ({ request }) =>
        sendVariants(await packed(), request, {
          'content-type': 'application/json',
          'cache-control': 'no-cache',
        }),
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
  const document = openApiDocument([...routes, ...own, ...context.described], {
    version: packageJson.version,
    baseUrl,
  });
  return own;
}

/** A text that stays the same, compressed when it is first asked for. */
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
