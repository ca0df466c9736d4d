import { serviceEndpoints } from '../../../contract/admin/service-endpoints.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { toTimestamp } from '../../lib/timestamp.ts';
import { handle, type Route } from '../../platform/http/index.ts';
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
  return handle(serviceEndpoints.getHealthReport, async () => ({
    ...(await health()),
    version: packageJson.version,
    uptimeSeconds: vitals.uptimeSeconds(),
    maxCells,
    ...(holders && { databasesByNode: await holders() }),
    disk: await vitals.disk(),
    history: vitals.samples().map(({ at, ...sample }) => ({ at: toTimestamp(at), ...sample })),
  }));
}
