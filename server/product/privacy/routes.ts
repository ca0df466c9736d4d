import type { z } from 'zod';
import type { AccountDeletion } from '../../../contract/accounts/privacy.ts';
import { privacyEndpoints } from '../../../contract/accounts/privacy-endpoints.ts';
import { fault } from '../../../contract/errors.ts';
import { AppError } from '../../lib/errors.ts';
import { toTimestamp } from '../../lib/timestamp.ts';
import type { Limit } from '../../platform/coordination/limits/index.ts';
import { type Actor, attachment, handle, type Route } from '../../platform/http/index.ts';
import type { Db } from '../../platform/storage/index.ts';
import { errorScreen } from '../../sites/screens/index.ts';
import type { ProveItIsYou } from './context.ts';
import type { ExportCodes } from './export-codes.ts';
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
  /** The rate limit of lists of stored data. */
  listLimit: Limit;
  deletionLimit: Limit;
  /** The rate limit of requests to delete the account. */
  leavingLimit: Limit;
}

export function privacyRoutes(context: RoutesContext): Route[] {
  return [exportRoute(context), exportProofRoute(context), deletionRoute(context), ...storedRoutes(context)];
}

function exportRoute({ exports, exportCodes, proveItIsYou, baseUrl }: RoutesContext): Route {
  return handle(
    privacyEndpoints.exportAccount,
    async ({ actor, query, address }) => {
      const isProven = query.code !== undefined && (await exportCodes.redeem(query.code, actor));
      if (!isProven) await proveItIsYou(actor, {}, address);
      return new Response(await exports.start(actor), {
        headers: {
          'content-type': 'application/gzip',
          'content-disposition': attachment(`quire-${actor.username}.tar.gz`),
          'cache-control': 'private, no-store',
          'x-content-type-options': 'nosniff',
        },
      });
    },
    { failureScreen: (failure) => errorScreen(failure, baseUrl) },
  );
}

function exportProofRoute({ exportCodes, proveItIsYou }: RoutesContext): Route {
  return handle(privacyEndpoints.startExport, async ({ actor, body, address }) => {
    await proveItIsYou(actor, body, address);
    return { success: true as const, link: exportCodes.linkFor(actor) };
  });
}

function deletionRoute(context: RoutesContext): Route {
  return handle(privacyEndpoints.deleteAccount, ({ actor, body, address }) =>
    requestDeletion(context, actor, body, address),
  );
}

/** Requests a deletion. The typed name protects against mistakes, the proof against a stolen session. */
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
      {},
      {
        details: [fault('username', 'must be your username')],
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
    success: true as const,
    message: `Your account will be deleted on ${deletedAt.slice(0, 10)}. Log in before then to keep it.`,
    deletedAt,
  };
}

function storedRoutes({ stored, listLimit, deletionLimit }: RoutesContext): Route[] {
  return [
    handle(privacyEndpoints.listStored, async ({ actor }) => {
      await listLimit.take(String(actor.userId));
      return stored.list(actor);
    }),
    handle(privacyEndpoints.deleteStored, async ({ actor, params }) => {
      await deletionLimit.take(String(actor.userId));
      return { success: true as const, ...(await stored.delete(actor, params.id)) };
    }),
  ];
}
