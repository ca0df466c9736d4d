import { GrantBody, Granted, HealthReport, type User, UserList, UserQuery } from '../../../contract/admin.ts';
import { idParams } from '../../../contract/fields.ts';
import { ADMIN_SCOPE } from '../../../contract/scopes.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { notFound } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Route, route } from '../../platform/http/index.ts';
import type { Vitals } from '../../platform/operations/index.ts';

/** What administrators need from accounts, credits and the platform. */
interface AdminContext {
  /** Users and what they store. */
  listUsers(page: { limit: number; offset: number; q: string | undefined }): Promise<{
    rows: StoredUser[];
    total: number;
  }>;
  /** The balances of users in credits, by user id. */
  creditsOf(userIds: number[]): Promise<Map<number, number>>;
  /** Gives a user credits. Returns the new balance; undefined if there is no such user. */
  grantCredits(userId: number, credits: number, reason: string): Promise<number | undefined>;
  health: () => Promise<Record<string, unknown>>;
  vitals: Vitals;
  maxCells: number;
  /** In a cluster: the databases of each node. */
  holders?: (() => Promise<Record<string, number[]>>) | undefined;
}

interface StoredUser {
  id: number;
  username: string;
  email: string;
  is_admin: number;
  created_at: number;
  pages: number;
  functions: number;
  bytes: number;
}

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

/** What administrators see and do. */
export function adminRoutes(context: AdminContext): Route[] {
  return [...userRoutes(context), healthRoute(context)];
}

function userRoutes(context: AdminContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/admin/users',
      operationId: 'listUsers',
      access,
      summary: 'List the users and what they store; `q` is looked for in usernames and e-mail addresses',
      query: UserQuery,
      response: UserList,
      async handle({ query: { q, ...page } }) {
        const { rows, total } = await context.listUsers({ ...page, q });
        const credits = await context.creditsOf(rows.map(({ id }) => id));
        return { users: rows.map((row) => toUser(row, credits.get(row.id) ?? 0)), total, ...page };
      },
    }),
    route({
      method: 'POST',
      path: '/api/admin/users/:id/credits',
      operationId: 'grantCredits',
      access,
      summary: 'Give a user credits; they see the reason in their history',
      params: idParams,
      body: GrantBody,
      response: Granted,
      async handle({ params, body }) {
        const balance = await context.grantCredits(params.id, body.credits, body.reason);
        if (balance === undefined) throw notFound('This user');
        return { success: true, balance };
      },
    }),
  ];
}

function healthRoute({ health, vitals, maxCells, holders }: AdminContext): Route {
  return route({
    method: 'GET',
    path: '/api/admin/health',
    operationId: 'getHealthReport',
    access,
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

const toUser = (row: StoredUser, credits: number): User => ({
  id: row.id,
  username: row.username,
  email: row.email,
  isAdmin: row.is_admin === 1,
  createdAt: toTimestamp(row.created_at),
  pages: row.pages,
  functions: row.functions,
  storedBytes: row.bytes,
  credits,
});
