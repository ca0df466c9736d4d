import { HealthReport } from '../../../contract/admin/health.ts';
import { ADMIN_SCOPE } from '../../../contract/scopes.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Route, route } from '../../platform/http/index.ts';
import { auditRoutes } from './audit/routes.ts';
import { contentRoutes } from './content/routes.ts';
import type { AdminContext } from './context.ts';
import { instanceRoutes } from './instance/routes.ts';
import { serviceRoutes } from './service/routes.ts';
import { userRoutes } from './users/routes.ts';

/** What administrators see and do. */
export function adminRoutes(context: AdminContext): Route[] {
  return [
    ...userRoutes(context),
    ...contentRoutes(context),
    ...auditRoutes(context),
    ...serviceRoutes(context),
    ...instanceRoutes(context),
    healthRoute(context),
  ];
}

function healthRoute({ health, vitals, maxCells, holders }: AdminContext): Route {
  return route({
    method: 'GET',
    path: '/api/admin/health',
    operationId: 'getHealthReport',
    access: { kind: 'management', scope: ADMIN_SCOPE },
    summary: 'How the service is doing, now and in the last hour',
    response: HealthReport,
    handle: async () => ({
      ...(await health()),
      version: packageJson.version,
      uptimeSeconds: vitals.uptimeSeconds(),
      maxCells,
      ...(holders && { databasesByNode: await holders() }),
      disk: await vitals.disk(),
      history: vitals.samples().map(({ at, ...sample }) => ({ at: toTimestamp(at), ...sample })),
    }),
  });
}
