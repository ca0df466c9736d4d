import type { ConnectedApp } from '../../../contract/oauth/connected-apps.ts';
import { oauthEndpoints } from '../../../contract/oauth/endpoints.ts';
import { notFound } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import type { OAuthContext } from './context.ts';
import type { ResourcePage } from './ports.ts';
import { listGrants } from './store.ts';

/** Routes of the apps that a person has connected. */
export function appRoutes(context: OAuthContext): Route[] {
  const { db, now, grants, pages, isServiceHost } = context;
  return [
    handle(oauthEndpoints.listConnectedApps, async ({ actor }) => {
      const rows = await listGrants(db, actor.userId, now());
      const ids = rows.flatMap(({ page_id }) => (page_id === null ? [] : [page_id]));
      const named = await pages.describe(ids, actor);
      // Earlier versions accepted documents on our own hosts.
      const apps = rows.map(async (row) => {
        const isVerified = row.is_verified === 1 && !(await isServiceHost(row.client_id));
        return { ...toApp(row, named), isVerified };
      });
      return { apps: await Promise.all(apps) };
    }),
    handle(oauthEndpoints.disconnectApp, async ({ params, actor }) => {
      if (!(await grants.end(actor.userId, params.id))) throw notFound('This app was not found.');
    }),
  ];
}

function toApp(
  row: Awaited<ReturnType<typeof listGrants>>[number],
  pages: Map<number, ResourcePage>,
): Omit<ConnectedApp, 'isVerified'> {
  const page = row.page_id === null ? undefined : pages.get(row.page_id);
  return {
    id: row.id,
    name: row.name,
    origin: row.origin,
    scopes: row.scopes.split(' ').filter(Boolean),
    branches_only: row.branches_only === 1,
    page: page ? { id: page.id, name: page.name, slug: page.slug } : null,
    createdAt: toTimestamp(row.created_at),
    lastUsedAt: toTimestamp(row.used_at),
    expiresAt: toTimestamp(row.expires_at),
  };
}
