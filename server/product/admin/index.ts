import { z } from 'zod';
import { idParams, queryNumber, shortText, timestamp } from '../../../contract/fields.ts';
import { ADMIN_SCOPE } from '../../../contract/scopes.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { notFound } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import { type Route, route } from '../../platform/http/index.ts';
import type { Vitals } from '../../platform/operations/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { grant, toCredits, toTokens } from '../credits/index.ts';
import { listUsers } from './store.ts';

/** The users and what they take up. */
export { listUsers } from './store.ts';

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

/** What administrators see and do. */
export function adminRoutes(context: {
  db: Db;
  now: () => number;
  health: () => Promise<Record<string, unknown>>;
  vitals: Vitals;
  maxCells: number;
  /** In a cluster: which node has which databases. */
  holders?: (() => Promise<Record<string, number[]>>) | undefined;
}): Route[] {
  const { db, now, health, vitals, maxCells, holders } = context;
  const access = { kind: 'management', scope: ADMIN_SCOPE } as const;
  return [
    route({
      method: 'GET',
      path: '/api/admin/users',
      operationId: 'listUsers',
      access,
      summary: 'List the users and what they take up; `q` looks in usernames and e-mail addresses',
      query: z.object({
        limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
        offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
        q: shortText(200).optional(),
      }),
      response: UserList,
      async handle({ query: { q, ...query } }) {
        const { rows, total } = await listUsers(db, { ...query, q });
        const users = rows.map((row) => ({
          id: row.id,
          username: row.username,
          email: row.email,
          isAdmin: row.is_admin === 1,
          createdAt: toTimestamp(row.created_at),
          pages: row.pages,
          functions: row.functions,
          storedBytes: row.bytes,
          credits: toCredits(row.balance_tokens),
        }));
        return { users, total, ...query };
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
        const tokens = toTokens(body.credits);
        const balance = await grant(db, { userId: params.id, tokens, reason: body.reason, now: now() });
        if (balance === undefined) throw notFound('This user');
        return { success: true, balance: toCredits(balance) };
      },
    }),
    route({
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
    }),
  ];
}
