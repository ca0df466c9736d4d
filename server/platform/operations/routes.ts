import { operationEndpoints } from '../../../contract/operations/endpoints.ts';
import type { HealthFields } from '../../../contract/service.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { blockMatcher } from '../../lib/addresses.ts';
import { AppError } from '../../lib/errors.ts';
import { isPublicName } from '../../lib/host-names.ts';
import { handle, type Route } from '../http/index.ts';
import type { Readiness } from './health/index.ts';

interface ServiceContext {
  baseUrl: string;
  health(): Promise<HealthFields>;
  readiness: Pick<Readiness, 'answer'>;
  /** Every figure, for Prometheus. */
  metrics: { contentType: string; metrics(): Promise<string> };
  /** Address blocks that may read the metrics without a token. */
  metricsAllow: string[];
}

/** Routes about the service as a whole: its health and its figures. */
export function serviceRoutes(context: ServiceContext): Route[] {
  return [...probeRoutes(context), metricsRoute(context)];
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
        'Metrics are not available at {hostname}. Use the base URL, localhost or an IP address, or send a token with the scope admin.',
        { hostname },
      );
    }
    return new Response(await metrics.metrics(), {
      headers: { 'content-type': metrics.contentType, 'cache-control': 'no-store' },
    });
  });
}
