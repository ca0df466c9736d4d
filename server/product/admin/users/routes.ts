import { userEndpoints } from '../../../../contract/admin/user-endpoints.ts';
import type { User } from '../../../../contract/admin/users.ts';
import { done } from '../../../../contract/fields.ts';
import { notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { AdminContext, ListedUser } from '../context.ts';
import {
  endSessions,
  grantCredits,
  remove,
  reset,
  restore,
  setAdministrator,
  setQuota,
  suspend,
  turnSecondFactorOff,
} from './change.ts';

export function userRoutes(context: AdminContext): Route[] {
  return [
    ...readRoutes(context),
    ...blockRoutes(context),
    deleteRoute(context),
    ...administratorRoutes(context),
    ...loginRoutes(context),
    ...limitRoutes(context),
  ];
}

function readRoutes(context: AdminContext): Route[] {
  const { users, readCredits } = context;
  return [
    handle(userEndpoints.listUsers, async ({ query }) => {
      const { rows, total } = await users.list(query);
      const credits = await readCredits(rows.map(({ id }) => id));
      return {
        users: rows.map((row) => toUser(row, credits.get(row.id) ?? 0)),
        total,
        limit: query.limit,
        offset: query.offset,
      };
    }),
    handle(userEndpoints.getUser, async ({ params }) => {
      const user = await users.detail(params.id);
      if (!user) throw notFound('This user was not found.');
      const credits = await readCredits([user.id]);
      return { user: { ...user, credits: credits.get(user.id) ?? 0 } };
    }),
  ];
}

function blockRoutes(context: AdminContext): Route[] {
  return [
    handle(userEndpoints.suspendUser, async ({ params, body, actor, address }) => {
      await suspend(context, { actor, address }, params.id, body.reason);
      return done('The account is suspended.');
    }),
    handle(userEndpoints.restoreUser, async ({ params, actor, address }) => {
      await restore(context, { actor, address }, params.id);
      return done('The account can be used.');
    }),
    handle(userEndpoints.endSessionsOfUser, async ({ params, actor, address }) => {
      await endSessions(context, { actor, address }, params.id);
      return done('The user is logged out everywhere.');
    }),
  ];
}

function deleteRoute(context: AdminContext): Route {
  return handle(userEndpoints.deleteUser, async ({ params, query, actor, address }) => {
    const isNow = query.now === 'true';
    const { dueAt } = await remove(context, { actor, address }, params.id, isNow);
    const message = isNow
      ? 'The account is being deleted.'
      : 'The account will be deleted in seven days, unless its user returns.';
    return { ...done(message), dueAt: toTimestamp(dueAt) };
  });
}

function administratorRoutes(context: AdminContext): Route[] {
  return [
    handle(userEndpoints.promoteUser, async ({ params, actor, address }) => {
      await setAdministrator(context, { actor, address }, params.id, true);
      return done('The user is an administrator.');
    }),
    handle(userEndpoints.demoteUser, async ({ params, actor, address }) => {
      await setAdministrator(context, { actor, address }, params.id, false);
      return done('The user is not an administrator.');
    }),
  ];
}

function loginRoutes(context: AdminContext): Route[] {
  return [
    handle(userEndpoints.resetUser, async ({ params, actor, address }) => {
      const { link, expiresAt } = await reset(context, { actor, address }, params.id);
      return { success: true as const, link, expiresAt: toTimestamp(expiresAt) };
    }),
    handle(userEndpoints.turnSecondFactorOff, async ({ params, actor, address }) => {
      await turnSecondFactorOff(context, { actor, address }, params.id);
      return done('The user can log in with the password alone.');
    }),
  ];
}

function limitRoutes(context: AdminContext): Route[] {
  return [
    handle(userEndpoints.setQuotaOfUser, async ({ params, body, actor, address }) => {
      await setQuota(context, { actor, address }, params.id, body);
      return done('The quota is set.');
    }),
    handle(userEndpoints.grantCredits, async ({ params, body, actor, address }) => {
      return {
        success: true as const,
        balance: await grantCredits(context, { actor, address }, params.id, body),
      };
    }),
  ];
}

const toUser = (row: ListedUser, credits: number): User => ({
  id: row.id,
  username: row.username,
  email: row.email,
  isAdmin: row.is_admin === 1,
  createdAt: toTimestamp(row.created_at),
  pages: row.pages,
  functions: row.functions,
  storedBytes: row.bytes,
  credits,
  suspendedAt: row.suspended_at === null ? null : toTimestamp(row.suspended_at),
  removalDueAt: row.removal_due_at === null ? null : toTimestamp(row.removal_due_at),
  passwordAskedAt: row.password_asked_at === null ? null : toTimestamp(row.password_asked_at),
});
