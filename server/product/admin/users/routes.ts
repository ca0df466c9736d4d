import {
  BlockBody,
  DeletedUser,
  DeleteUserQuery,
  GrantBody,
  Granted,
  QuotaBody,
  ResetLink,
  type User,
  UserDetailResponse,
  UserList,
  UserQuery,
} from '../../../../contract/admin/users.ts';
import { Done, idParams, NoFields } from '../../../../contract/fields.ts';
import { ADMIN_SCOPE } from '../../../../contract/scopes.ts';
import { notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Route, route } from '../../../platform/http/index.ts';
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

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;
const done = (message: string) => ({ success: true, message }) as const;

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
  const { users, creditsOf } = context;
  return [
    route({
      method: 'GET',
      path: '/api/admin/users',
      operationId: 'listUsers',
      access,
      summary: 'List the users and what they store; `q` searches usernames and e-mail addresses',
      query: UserQuery,
      response: UserList,
      async handle({ query }) {
        const { rows, total } = await users.list(query);
        const credits = await creditsOf(rows.map(({ id }) => id));
        return {
          users: rows.map((row) => toUser(row, credits.get(row.id) ?? 0)),
          total,
          limit: query.limit,
          offset: query.offset,
        };
      },
    }),
    route({
      method: 'GET',
      path: '/api/admin/users/:id',
      operationId: 'getUser',
      access,
      summary: 'Read about a user: what they store, their quota, and how they log in',
      params: idParams,
      response: UserDetailResponse,
      async handle({ params }) {
        const user = await users.detail(params.id);
        if (!user) throw notFound('This user');
        const credits = await creditsOf([user.id]);
        return { user: { ...user, credits: credits.get(user.id) ?? 0 } };
      },
    }),
  ];
}

function blockRoutes(context: AdminContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/admin/users/:id/suspend',
      operationId: 'suspendUser',
      access,
      failures: ['CONFLICT'],
      summary:
        'Suspend an account: nobody can log in to it, see its pages or call its functions. Its user sees the reason',
      params: idParams,
      body: BlockBody,
      response: Done,
      async handle({ params, body, actor, address }) {
        await suspend(context, { actor, address }, params.id, body.reason);
        return done('The account is suspended.');
      },
    }),
    route({
      method: 'POST',
      path: '/api/admin/users/:id/restore',
      operationId: 'restoreUser',
      access,
      summary: 'End the suspension of an account, or its deletion; its sessions and tokens work again',
      params: idParams,
      body: NoFields,
      bodyOptional: true,
      response: Done,
      async handle({ params, actor, address }) {
        await restore(context, { actor, address }, params.id);
        return done('The account can be used.');
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/admin/users/:id/sessions',
      operationId: 'endSessionsOfUser',
      access,
      summary: 'Log a user out everywhere: browsers, programs and connected apps',
      params: idParams,
      response: Done,
      async handle({ params, actor, address }) {
        await endSessions(context, { actor, address }, params.id);
        return done('The user is logged out everywhere.');
      },
    }),
  ];
}

function deleteRoute(context: AdminContext): Route {
  return route({
    method: 'DELETE',
    path: '/api/admin/users/:id',
    operationId: 'deleteUser',
    access,
    failures: ['CONFLICT'],
    summary: 'Delete an account and everything in it, after seven days or at once',
    params: idParams,
    query: DeleteUserQuery,
    response: DeletedUser,
    async handle({ params, query, actor, address }) {
      const isNow = query.now === 'true';
      const { dueAt } = await remove(context, { actor, address }, params.id, isNow);
      const message = isNow
        ? 'The account is being deleted.'
        : 'The account will be deleted in seven days, unless its user returns.';
      return { success: true, message, dueAt: toTimestamp(dueAt) };
    },
  });
}

function administratorRoutes(context: AdminContext): Route[] {
  const change = (isAdmin: boolean) =>
    route({
      method: 'POST',
      path: `/api/admin/users/:id/${isAdmin ? 'promote' : 'demote'}`,
      operationId: isAdmin ? 'promoteUser' : 'demoteUser',
      access,
      failures: ['CONFLICT'],
      summary: isAdmin
        ? 'Make a user an administrator'
        : 'Make an administrator a user like others; refused for the last one',
      params: idParams,
      body: NoFields,
      bodyOptional: true,
      response: Done,
      async handle({ params, actor, address }) {
        await setAdministrator(context, { actor, address }, params.id, isAdmin);
        return done(isAdmin ? 'The user is an administrator.' : 'The user is not an administrator.');
      },
    });
  return [change(true), change(false)];
}

function loginRoutes(context: AdminContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/admin/users/:id/reset',
      operationId: 'resetUser',
      access,
      failures: ['CONFLICT'],
      summary: 'Make a link that lets a user set a new password; it is shown only once',
      params: idParams,
      body: NoFields,
      bodyOptional: true,
      response: ResetLink,
      async handle({ params, actor, address }) {
        const { link, expiresAt } = await reset(context, { actor, address }, params.id);
        return { success: true, link, expiresAt: toTimestamp(expiresAt) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/admin/users/:id/second-factor/off',
      operationId: 'turnSecondFactorOff',
      access,
      failures: ['CONFLICT'],
      summary: 'Let a user log in with the password alone, if they have lost their passkeys',
      params: idParams,
      body: NoFields,
      bodyOptional: true,
      response: Done,
      async handle({ params, actor, address }) {
        await turnSecondFactorOff(context, { actor, address }, params.id);
        return done('The user can log in with the password alone.');
      },
    }),
  ];
}

function limitRoutes(context: AdminContext): Route[] {
  return [
    route({
      method: 'PUT',
      path: '/api/admin/users/:id/quota',
      operationId: 'setQuotaOfUser',
      access,
      summary: 'Set the quota of a user: null for the default of the service, 0 for no limit',
      params: idParams,
      body: QuotaBody,
      response: Done,
      async handle({ params, body, actor, address }) {
        await setQuota(context, { actor, address }, params.id, body);
        return done('The quota is set.');
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
      async handle({ params, body, actor, address }) {
        return { success: true, balance: await grantCredits(context, { actor, address }, params.id, body) };
      },
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
});
