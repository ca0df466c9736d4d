import { z } from 'zod';
import { idParams, queryNumber, shortText, timestamp } from '../../../contract/fields.ts';
import { ADMIN_SCOPE } from '../../../contract/scopes.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { notFound } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Route, route } from '../../platform/http/index.ts';
import type { Vitals } from '../../platform/operations/index.ts';

const UserList = z.object({
  users: z.array(
    z.object({
      id: z.int(),
      username: z.string(),
      email: z.string(),
      isAdmin: z.boolean(),
      createdAt: timestamp,
      pages: z.int(),
      functions: z.int(),
      storedBytes: z.int(),
      credits: z.number(),
    }),
  ),
  total: z.int(),
  limit: z.int(),
  offset: z.int(),
});

const CREDITS_ERROR = 'must be a whole number from 1 to 1,000,000';
const GrantBody = z.strictObject({
  credits: z
    .int({ error: CREDITS_ERROR })
    .min(1, { error: CREDITS_ERROR })
    .max(1_000_000, { error: CREDITS_ERROR }),
  reason: shortText(500).refine((reason) => reason.trim() !== '', 'must say why'),
});

const HealthReport = z
  .object({
    status: z.literal('ok'),
    version: z.string(),
    uptimeSeconds: z.int(),
    maxCells: z.int(),
    databasesByNode: z.record(z.string(), z.array(z.int())).optional(),
    disk: z.object({ freeBytes: z.int(), totalBytes: z.int(), databaseBytes: z.int().nullable() }),
    history: z.array(
      z.object({ at: timestamp, memoryBytes: z.int(), cpuPercent: z.number(), cells: z.int() }),
    ),
  })
  .catchall(z.unknown());

/** What administrators need of accounts, credits and the platform. */
interface AdminContext {
  /** Users and what they store. */
  listUsers(page: { limit: number; offset: number; q: string | undefined }): Promise<{
    rows: StoredUser[];
    total: number;
  }>;
  /** What users have, in credits, by their id. */
  creditsOf(userIds: number[]): Promise<Map<number, number>>;
  /** Gives a user credits. Returns what they have afterwards; undefined when there is no such user. */
  grantCredits(userId: number, credits: number, reason: string): Promise<number | undefined>;
  health: () => Promise<Record<string, unknown>>;
  vitals: Vitals;
  maxCells: number;
  /** In a cluster: which node has which databases. */
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
      query: z.object({
        limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
        offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
        q: shortText(200).optional(),
      }),
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
      response: z.object({ success: z.literal(true), balance: z.number() }),
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

const toUser = (row: StoredUser, credits: number) => ({
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
