import type { ReplicaReport } from '../../../contract/admin/health.ts';
import { serviceEndpoints } from '../../../contract/admin/service-endpoints.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { toTimestamp } from '../../lib/timestamp.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import { isLate, type ReplicaState, readAge } from '../../platform/replica/index.ts';
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

function describeReplica(state: ReplicaState, now: number): ReplicaReport {
  const { status, problem, oldestAt, behindBytes } = state;
  return {
    ...{ status, problem, behindBytes, isLate: isLate(state, now) },
    ageSeconds: readAge(state, now) ?? null,
    oldestAt: oldestAt === null ? null : toTimestamp(oldestAt),
  };
}

function healthRoute({ health, vitals, maxCells, holders, replica }: AdminContext): Route {
  return handle(serviceEndpoints.getHealthReport, async () => ({
    ...(await health()),
    version: packageJson.version,
    uptimeSeconds: vitals.uptimeSeconds(),
    maxCells,
    ...(holders && { databasesByNode: await holders() }),
    ...(replica && { replica: describeReplica(replica.state, Date.now()) }),
    disk: await vitals.disk(),
    history: vitals.samples().map(({ at, ...sample }) => ({ at: toTimestamp(at), ...sample })),
  }));
}
