import { passkeyEndpoints } from '../../../../contract/accounts/passkey-endpoints.ts';
import type { CredentialOptions } from '../../../../contract/accounts/passkeys.ts';
import { done } from '../../../../contract/fields.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import {
  countRecoveryCodes,
  listPasskeys,
  needsSecondFactor,
  type PasskeyRow,
  renamePasskey,
} from '../model/passkey-store.ts';
import type { PasskeysContext } from './context.ts';

/** What users do with their passkeys and their second factor. */
export function passkeyRoutes(context: PasskeysContext): Route[] {
  return [...additionRoutes(context), ...listRoutes(context), ...secondFactorRoutes(context)];
}

function additionRoutes({ passkeys, proveItIsYou }: PasskeysContext): Route[] {
  return [
    handle(passkeyEndpoints.startPasskey, async ({ body, actor, address, request }) => {
      await proveItIsYou(actor, body, address);
      return withCookies(await passkeys.startAdding(actor, request));
    }),
    handle(passkeyEndpoints.addPasskey, async ({ body, actor, address, request }) => {
      return toPasskey(await passkeys.add(actor, body, { request, address }));
    }),
  ];
}

function listRoutes({ db, passkeys, proveItIsYou }: PasskeysContext): Route[] {
  return [
    handle(passkeyEndpoints.listPasskeys, async ({ actor }) => {
      const { userId } = actor;
      return {
        passkeys: (await listPasskeys(db, userId)).map(toPasskey),
        secondFactor: await needsSecondFactor(db, userId),
        recoveryCodesLeft: await countRecoveryCodes(db, userId),
      };
    }),
    handle(passkeyEndpoints.renamePasskey, async ({ params, body, actor }) => {
      const row = await renamePasskey(db, actor.userId, params.id, body.name.trim());
      if (!row) throw notFound('This passkey was not found.');
      return toPasskey(row);
    }),
    handle(passkeyEndpoints.removePasskey, async ({ params, body, actor, address }) => {
      await proveItIsYou(actor, body, address);
      const { name, hasTurnedOff } = await passkeys.remove(actor.userId, params.id, address);
      const after = hasTurnedOff ? ' It was the last one, so your password is enough to log in.' : '';
      return done(`The passkey ${name} is removed.${after}`);
    }),
  ];
}

function secondFactorRoutes({ db, secondFactor, proveItIsYou }: PasskeysContext): Route[] {
  return [
    handle(passkeyEndpoints.turnOnSecondFactor, async ({ body, actor, address }) => {
      const { id } = await proveItIsYou(actor, body, address);
      return secret({ recoveryCodes: await secondFactor.turnOn(id) });
    }),
    handle(passkeyEndpoints.turnOffSecondFactor, async ({ body, actor, address }) => {
      const { id } = await proveItIsYou(actor, body, address);
      if (!(await db.transaction().execute((tx) => secondFactor.turnOff(tx, id, address))))
        throw new AppError('CONFLICT', 'The second factor is already off.');
      return done('Your password alone is now enough to log in.');
    }),
    handle(passkeyEndpoints.replaceRecoveryCodes, async ({ body, actor, address }) => {
      const { id } = await proveItIsYou(actor, body, address);
      return secret({ recoveryCodes: await secondFactor.replaceCodes(id) });
    }),
  ];
}

const toPasskey = (row: PasskeyRow) => ({
  id: row.id,
  name: row.name,
  isSynced: row.is_synced === 1,
  createdAt: toTimestamp(row.created_at),
  lastUsedAt: row.last_used_at === null ? null : toTimestamp(row.last_used_at),
});

/** A response that no cache keeps. */
export function secret(body: unknown, cookies: string[] = []): Response {
  const response = Response.json(body, { headers: { 'cache-control': 'no-store' } });
  for (const cookie of cookies) response.headers.append('set-cookie', cookie);
  return response;
}

export function withCookies({ options, cookie }: { options: CredentialOptions; cookie: string }): Response {
  return secret(options, [cookie]);
}
