import type { Endpoint } from '../../../contract/endpoint.ts';
import { operationEndpoints } from '../../../contract/operations/endpoints.ts';
import type { HealthFields } from '../../../contract/service.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { blockMatcher } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import { isPublicName } from '../../lib/host-names.ts';
import {
  createDocs,
  DOCS_FOLDER,
  type Docs,
  keepPage,
  openApiDocument,
  referencePage,
} from '../../sites/docs-site/index.ts';
import { handle, makeVariants, type Route, route, sendVariants, type Variants } from '../http/index.ts';
import type { Readiness } from './health/index.ts';

interface ServiceContext {
  baseUrl: string;
  routes: Route[];
  /** Endpoints that are served without a route, for the API reference. */
  described: Endpoint[];
  health(): Promise<HealthFields>;
  readiness: Pick<Readiness, 'answer'>;
  /** Every figure, for Prometheus. */
  metrics: { contentType: string; metrics(): Promise<string> };
  /** Address blocks that may read the metrics without a token. */
  metricsAllow: string[];
}

/** Routes about the service as a whole: its health, its figures, its documentation. */
export function serviceRoutes(context: ServiceContext): Route[] {
  const { baseUrl, routes, described } = context;
  const docs = createDocs({ folder: DOCS_FOLDER, baseUrl });
  let openApi: Record<string, unknown> | undefined;
  const document = () => {
    openApi ??= openApiDocument([...routes, ...own, ...described], { version: packageJson.version, baseUrl });
    return openApi;
  };
  const own: Route[] = [
    ...probeRoutes(context),
    metricsRoute(context),
    ...referenceRoutes(document, docs),
    // After the reference, because a document could have the same name.
    ...docs.routes,
  ];
  return own;
}

function probeRoutes({ health, readiness }: ServiceContext): Route[] {
  const probe = (path: string) => {
    const answer = readiness.answer(path);
    if (!answer) throw new Error(`${path} is not a probe`);
    return answer;
  };
  return [
    handle(operationEndpoints.getHealth, async () => ({ ...(await health()), version: packageJson.version })),
    // The front door serves these two itself. They are listed here for other methods and for the API reference.
    handle(operationEndpoints.getLiveness, () => probe('/livez')),
    handle(operationEndpoints.getReadiness, () => probe('/readyz')),
  ];
}

function metricsRoute({ baseUrl, metrics, metricsAllow }: ServiceContext): Route {
  const ownHost = new URL(baseUrl).hostname;
  const isAllowed = blockMatcher(metricsAllow);
  return handle(operationEndpoints.getMetrics, async ({ actor, address, isAddressSure, request }) => {
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
  });
}

/** The API reference, for programs and for people. It describes these routes too, so it is built on request. */
function referenceRoutes(document: () => Record<string, unknown>, docs: Docs): Route[] {
  const packed = createPacked(() => JSON.stringify(document()));
  const reference = keepPage(() => referencePage(document(), docs.navigation()));
  return [
    handle(operationEndpoints.getDescription, async ({ request }) =>
      sendVariants(await packed(), request, {
        'content-type': 'application/json',
        'cache-control': 'no-cache',
      }),
    ),
    route({
      method: 'GET',
      path: '/docs/api',
      access: { kind: 'public' },
      summary: 'The API reference',
      handle: ({ request }) => reference(request),
    }),
  ];
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
