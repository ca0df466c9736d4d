import { z } from 'zod';
import { ADMIN_SCOPE } from '../accounts/index.ts';
import { TOKENS_PER_CREDIT } from '../credits/index.ts';
import { queryNumber, type Route, route, timestamp, toTimestamp } from '../http/index.ts';
import type { Db } from '../storage/index.ts';
import { listUsers } from './store.ts';

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

/** What administrators see and do. */
export function adminRoutes({
  db,
  health,
}: {
  db: Db;
  health: () => Promise<Record<string, unknown>>;
}): Route[] {
  const access = { kind: 'management', scope: ADMIN_SCOPE } as const;
  return [
    route({
      method: 'GET',
      path: '/api/admin/users',
      access,
      summary: 'List the users and what they take up',
      query: z.object({
        limit: queryNumber({ min: 1, max: 100, fallback: 50 }),
        offset: queryNumber({ min: 0, max: 1_000_000_000, fallback: 0 }),
      }),
      response: UserList,
      async handle({ query }) {
        const { rows, total } = await listUsers(db, query);
        const users = rows.map((row) => ({
          id: row.id,
          username: row.username,
          email: row.email,
          isAdmin: row.is_admin === 1,
          createdAt: toTimestamp(row.created_at),
          pages: row.pages,
          functions: row.functions,
          storedBytes: row.bytes,
          credits: row.balance_tokens / TOKENS_PER_CREDIT,
        }));
        return { users, total, ...query };
      },
    }),
    route({
      method: 'GET',
      path: '/api/admin/health',
      access,
      summary: 'How the service is doing',
      response: z.object({ status: z.literal('ok') }).catchall(z.unknown()),
      handle: health,
    }),
  ];
}
