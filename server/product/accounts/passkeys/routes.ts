import {
  CredentialOptions,
  NewPasskey,
  Passkey,
  PasskeyList,
  PasskeyName,
  RecoveryCodes,
  Reproof,
} from '../../../../contract/accounts/passkeys.ts';
import { Done, idParams } from '../../../../contract/fields.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import type { PasskeysContext } from './context.ts';
import {
  countRecoveryCodes,
  listPasskeys,
  needsSecondFactor,
  type PasskeyRow,
  renamePasskey,
} from './store.ts';

/** What users do with their passkeys and their second factor. */
export function passkeyRoutes(context: PasskeysContext): Route[] {
  return [...additionRoutes(context), ...listRoutes(context), ...secondFactorRoutes(context)];
}

function additionRoutes({ passkeys, proveItIsYou }: PasskeysContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/auth/passkeys/options',
      operationId: 'startPasskey',
      failures: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'QUOTA_EXCEEDED'],
      answers: [
        { status: 200, description: 'A cookie ties the challenge to the browser.', headers: ['Set-Cookie'] },
      ],
      access: { kind: 'account' },
      summary: 'Get the options for a new passkey, with your password or soon after a login',
      body: Reproof,
      bodyOptional: true,
      response: CredentialOptions,
      async handle({ body, actor, address, request }) {
        await proveItIsYou(signedIn(actor), body, address);
        return withCookies(await passkeys.startAdding(signedIn(actor), request));
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/passkeys',
      operationId: 'addPasskey',
      failures: ['QUOTA_EXCEEDED', 'CONFLICT'],
      access: { kind: 'account' },
      summary: 'Add the passkey that a browser made with these options',
      body: NewPasskey,
      status: 201,
      response: Passkey,
      async handle({ body, actor, address, request }) {
        return toPasskey(await passkeys.add(signedIn(actor), body, { request, address }));
      },
    }),
  ];
}

function listRoutes({ db, passkeys, proveItIsYou }: PasskeysContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/auth/passkeys',
      operationId: 'listPasskeys',
      access: { kind: 'account' },
      summary: 'List your passkeys, and whether one is required after your password',
      response: PasskeyList,
      async handle({ actor }) {
        const { userId } = signedIn(actor);
        return {
          passkeys: (await listPasskeys(db, userId)).map(toPasskey),
          secondFactor: await needsSecondFactor(db, userId),
          recoveryCodesLeft: await countRecoveryCodes(db, userId),
        };
      },
    }),
    route({
      method: 'PATCH',
      path: '/api/auth/passkeys/:id',
      operationId: 'renamePasskey',
      access: { kind: 'account' },
      summary: 'Rename one of your passkeys',
      params: idParams,
      body: PasskeyName,
      response: Passkey,
      async handle({ params, body, actor }) {
        const row = await renamePasskey(db, signedIn(actor).userId, params.id, body.name.trim());
        if (!row) throw notFound('This passkey');
        return toPasskey(row);
      },
    }),
    route({
      method: 'POST',
      path: '/api/auth/passkeys/:id/remove',
      operationId: 'removePasskey',
      failures: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'CONFLICT'],
      access: { kind: 'account' },
      summary: 'Remove one of your passkeys; without the last one, your password is enough again',
      params: idParams,
      body: Reproof,
      bodyOptional: true,
      response: Done,
      async handle({ params, body, actor, address }) {
        await proveItIsYou(signedIn(actor), body, address);
        const { name, hasTurnedOff } = await passkeys.remove(signedIn(actor).userId, params.id, address);
        const after = hasTurnedOff ? ' It was the last one, so your password is enough to log in.' : '';
        return { success: true, message: `The passkey ${name} is removed.${after}` };
      },
    }),
  ];
}

function secondFactorRoutes({ db, secondFactor, proveItIsYou }: PasskeysContext): Route[] {
  const described = {
    failures: ['INVALID_CREDENTIALS', 'FORBIDDEN', 'CONFLICT'],
    access: { kind: 'account' },
    body: Reproof,
    bodyOptional: true,
  } as const;
  return [
    route({
      ...described,
      method: 'POST',
      path: '/api/auth/second-factor',
      operationId: 'turnOnSecondFactor',
      summary: 'Turn on the second factor: a passkey after your password; returns recovery codes',
      response: RecoveryCodes,
      async handle({ body, actor, address }) {
        const { id } = await proveItIsYou(signedIn(actor), body, address);
        return secret({ recoveryCodes: await secondFactor.turnOn(id) });
      },
    }),
    route({
      ...described,
      method: 'POST',
      path: '/api/auth/second-factor/off',
      operationId: 'turnOffSecondFactor',
      summary: 'Turn off the second factor: your password alone is enough to log in',
      response: Done,
      async handle({ body, actor, address }) {
        const { id } = await proveItIsYou(signedIn(actor), body, address);
        if (!(await db.transaction().execute((tx) => secondFactor.turnOff(tx, id, address))))
          throw new AppError('CONFLICT', 'The second factor is already off.');
        return { success: true, message: 'Your password alone is now enough to log in.' };
      },
    }),
    route({
      ...described,
      method: 'POST',
      path: '/api/auth/recovery-codes',
      operationId: 'replaceRecoveryCodes',
      summary: 'Get new recovery codes; the old ones stop working',
      response: RecoveryCodes,
      async handle({ body, actor, address }) {
        const { id } = await proveItIsYou(signedIn(actor), body, address);
        return secret({ recoveryCodes: await secondFactor.replaceCodes(id) });
      },
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
