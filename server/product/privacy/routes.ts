import { z } from 'zod';
import {
  AccountDeleted,
  AccountDeletion,
  ExportLink,
  ExportRequest,
  StoredDeleted,
  StoredList,
} from '../../../contract/accounts/privacy.ts';
import { binary, idParams } from '../../../contract/fields.ts';
import { ACCOUNT_SCOPE } from '../../../contract/scopes.ts';
import { AppError } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import { type Actor, attachment, type Route, route, signedIn } from '../../platform/http/index.ts';
import { errorScreen } from '../../platform/screens/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import type { ProveItIsYou } from './context.ts';
import { EXPORT_PATH, type ExportCodes } from './export-codes.ts';
import type { Exports } from './exports.ts';
import { RETURN_MS, type Removals } from './removals.ts';
import type { Stored } from './stored.ts';

interface RoutesContext {
  db: Db;
  now: () => number;
  baseUrl: string;
  exports: Exports;
  exportCodes: ExportCodes;
  removals: Removals;
  stored: Stored;
  proveItIsYou: ProveItIsYou;
  /** Of what a user has stored. */
  listLimit: Limit;
  deletionLimit: Limit;
  /** Of requests to delete the account. */
  leavingLimit: Limit;
}

/** A logged-in person, or a program that has their password. */
const access = { kind: 'owner', scope: ACCOUNT_SCOPE } as const;

export function privacyRoutes(context: RoutesContext): Route[] {
  return [exportRoute(context), exportProofRoute(context), deletionRoute(context), ...storedRoutes(context)];
}

function exportRoute({ exports, exportCodes, proveItIsYou, baseUrl }: RoutesContext): Route {
  return route({
    method: 'GET',
    path: EXPORT_PATH,
    operationId: 'exportAccount',
    failures: ['FORBIDDEN', 'CONFLICT', 'UNAVAILABLE'],
    answers: [
      {
        status: 200,
        description: 'The archive. It is made while it is read, so its size is not known before.',
        type: 'application/gzip',
        schema: binary,
        headers: ['Content-Disposition'],
      },
    ],
    access,
    summary: 'Export everything in your account as one archive (.tar.gz), within ten minutes of a login',
    query: z.object({
      code: z
        .string()
        .max(1000)
        .optional()
        .meta({ description: 'From POST /api/auth/export, if the login is older.' }),
    }),
    failureScreen: (failure) => errorScreen(failure, baseUrl),
    async handle({ actor, query, address }) {
      const user = signedIn(actor);
      const isProven = query.code !== undefined && (await exportCodes.redeem(query.code, user));
      if (!isProven) await proveItIsYou(user, {}, address);
      return new Response(await exports.start(user), {
        headers: {
          'content-type': 'application/gzip',
          'content-disposition': attachment(`quire-${user.username}.tar.gz`),
          'cache-control': 'private, no-store',
          'x-content-type-options': 'nosniff',
        },
      });
    },
  });
}

function exportProofRoute({ exportCodes, proveItIsYou }: RoutesContext): Route {
  return route({
    method: 'POST',
    path: EXPORT_PATH,
    operationId: 'startExport',
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN'],
    access: { kind: 'account' },
    summary: 'Get a link that exports your account, for one minute',
    body: ExportRequest,
    response: ExportLink,
    async handle({ actor, body, address }) {
      const user = signedIn(actor);
      await proveItIsYou(user, body, address);
      return { success: true, link: exportCodes.linkFor(user) };
    },
  });
}

function deletionRoute(context: RoutesContext): Route {
  return route({
    method: 'POST',
    path: '/api/auth/account/delete',
    operationId: 'deleteAccount',
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'CONFLICT'],
    // As for other dangerous changes: only the person at a login session.
    access: { kind: 'account' },
    summary: 'Delete your account in seven days; until then you can log in and keep it',
    body: AccountDeletion,
    response: AccountDeleted,
    handle: ({ actor, body, address }) => requestDeletion(context, signedIn(actor), body, address),
  });
}

/** The typed name is for the person, the proof is against a thief of the session. */
async function requestDeletion(
  { db, now, removals, proveItIsYou, leavingLimit }: RoutesContext,
  actor: Actor,
  { username, password }: z.infer<typeof AccountDeletion>,
  address: string,
) {
  if (username !== actor.username)
    throw new AppError(
      'BAD_REQUEST',
      'username: must be your username, to confirm that you mean this account.',
      {
        details: [{ path: 'username', message: 'must be your username' }],
      },
    );
  await proveItIsYou(actor, { password }, address);
  const dueAt = now() + RETURN_MS;
  const { userId } = actor;
  await leavingLimit.take(String(userId));
  const announce = await db
    .transaction()
    .execute((tx) => removals.request(tx, userId, { by: actor, address, dueAt }));
  announce();
  const deletedAt = toTimestamp(dueAt);
  return {
    success: true,
    message: `Your account will be deleted on ${deletedAt.slice(0, 10)}. Log in before then to keep it.`,
    deletedAt,
  };
}

function storedRoutes({ stored, listLimit, deletionLimit }: RoutesContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/auth/stored',
      operationId: 'listStored',
      access,
      summary: "What you have stored on other people's pages",
      response: StoredList,
      async handle({ actor }) {
        const user = signedIn(actor);
        await listLimit.take(String(user.userId));
        return stored.list(user);
      },
    }),
    route({
      method: 'DELETE',
      path: '/api/auth/stored/:id',
      operationId: 'deleteStored',
      access,
      summary: "Delete what you have stored on someone else's page, some at a time",
      params: idParams,
      response: StoredDeleted,
      async handle({ actor, params }) {
        const user = signedIn(actor);
        await deletionLimit.take(String(user.userId));
        return { success: true, ...(await stored.delete(user, params.id)) };
      },
    }),
  ];
}
