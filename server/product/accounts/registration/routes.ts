import { registrationEndpoints } from '../../../../contract/accounts/registration-endpoints.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { ServiceSettings } from '../../../platform/service-settings/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Invites } from './invites.ts';

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
    handle(registrationEndpoints.getRegistration, async () => ({
      mode: await serviceSettings.registration(),
    })),
    handle(registrationEndpoints.setRegistration, async ({ body: { mode }, actor, address }) => {
      await db.transaction().execute(async (tx) => {
        const before = await serviceSettings.registration(tx);
        if (before === mode) return;
        await serviceSettings.setRegistration(tx, mode);
        await recordAudit(tx, {
          ...{ actor: actor, action: 'registration.change', address, now: now() },
          target: { kind: 'service', id: null, name: 'registration' },
          details: { from: before, to: mode },
        });
      });
      return { mode };
    }),
  ];
}

function inviteRoutes({ invites }: RegistrationContext): Route[] {
  return [
    handle(registrationEndpoints.createRegistrationInvite, ({ body, actor, address }) =>
      invites.create(body, { user: actor, address }),
    ),
    handle(registrationEndpoints.listRegistrationInvites, async () => ({ invites: await invites.list() })),
    handle(registrationEndpoints.revokeRegistrationInvite, ({ params, actor, address }) =>
      invites.revoke(params.id, { user: actor, address }),
    ),
  ];
}
