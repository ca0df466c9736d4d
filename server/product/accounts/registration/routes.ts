import {
  CreatedInvite,
  InviteList,
  InviteRequest,
  RegistrationSetting,
} from '../../../../contract/admin/invites.ts';
import { idParams } from '../../../../contract/fields.ts';
import { ADMIN_SCOPE } from '../../../../contract/scopes.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import type { ServiceSettings } from '../../../platform/service-settings/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Invites } from './invites.ts';

const access = { kind: 'management', scope: ADMIN_SCOPE } as const;

interface RegistrationContext {
  db: Db;
  now: () => number;
  serviceSettings: ServiceSettings;
  invites: Invites;
}

/** Who can register: the mode, and invites. For administrators. */
export function registrationRoutes(context: RegistrationContext): Route[] {
  return [...modeRoutes(context), ...inviteRoutes(context)];
}

function modeRoutes({ db, now, serviceSettings }: RegistrationContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/admin/registration',
      operationId: 'getRegistration',
      access,
      summary: 'Who can create an account: everyone, people with an invite, or nobody',
      response: RegistrationSetting,
      handle: async () => ({ mode: await serviceSettings.registration() }),
    }),
    route({
      method: 'PUT',
      path: '/api/admin/registration',
      operationId: 'setRegistration',
      access,
      summary: 'Set who can create an account, at once and on all nodes',
      body: RegistrationSetting,
      response: RegistrationSetting,
      async handle({ body: { mode }, actor, address }) {
        await db.transaction().execute(async (tx) => {
          const before = await serviceSettings.registration(tx);
          if (before === mode) return;
          await serviceSettings.setRegistration(tx, mode);
          await recordAudit(tx, {
            ...{ actor: signedIn(actor), action: 'registration.change', address, now: now() },
            target: { kind: 'service', id: null, name: 'registration' },
            details: { from: before, to: mode },
          });
        });
        return { mode };
      },
    }),
  ];
}

function inviteRoutes({ invites }: RegistrationContext): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/admin/invites',
      operationId: 'createRegistrationInvite',
      failures: ['QUOTA_EXCEEDED'],
      access,
      summary: 'Make a link that lets people register; it is shown only once',
      body: InviteRequest,
      bodyOptional: true,
      status: 201,
      response: CreatedInvite,
      handle: ({ body, actor, address }) => invites.create(body, { user: signedIn(actor), address }),
    }),
    route({
      method: 'GET',
      path: '/api/admin/invites',
      operationId: 'listRegistrationInvites',
      access,
      summary: 'List the invites, the newest first',
      response: InviteList,
      handle: async () => ({ invites: await invites.list() }),
    }),
    route({
      method: 'DELETE',
      path: '/api/admin/invites/:id',
      operationId: 'revokeRegistrationInvite',
      access,
      summary: 'Revoke an invite',
      params: idParams,
      status: 204,
      handle: ({ params, actor, address }) => invites.revoke(params.id, { user: signedIn(actor), address }),
    }),
  ];
}
