import { ATTACKS_PER_DAY } from '../../../contract/attack/attack.ts';
import { attackEndpoints } from '../../../contract/attack/endpoints.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import { type Handler, handle, type Route } from '../../platform/http/index.ts';
import type { PageAttacks } from '../ports.ts';
import { attackPage } from './attack.ts';
import type { AttackContext } from './context.ts';
import { sayMeant, takeBackMeant } from './meant.ts';

const DAY_SECONDS = 24 * 3600;

/** Attacks on copies of pages. */
export interface AttackSlice extends PageAttacks {
  routes: Route[];
  /** Sets the API, which is known only when all routes are. */
  connect(service: { call: Handler }): void;
}

export function createAttack(options: Omit<AttackContext, 'api'> & { limits: Limits }): AttackSlice {
  const { limits, ...rest } = options;
  let connected: { call: Handler } | undefined;
  const perOwner = limits.limit(
    'attacks',
    { points: ATTACKS_PER_DAY, seconds: DAY_SECONDS },
    'You have attacked your pages {points} times in a day, which is the limit. Try again {wait}.',
  );
  const context: AttackContext = {
    ...rest,
    api() {
      if (!connected) throw new Error('attacks are not connected');
      return connected.call;
    },
  };
  return {
    routes: [
      handle(attackEndpoints.attackPage, async ({ params, actor, request }) => {
        const { db, pages } = context;
        const page = await pages.require(db, await pages.find(db, params.id), actor, 'own');
        await perOwner.take(String(actor.userId));
        return attackPage(context, actor, page, request.signal);
      }),
      handle(attackEndpoints.keepFinding, async ({ params, actor }) => {
        await sayMeant(context, actor, params);
        return { success: true as const, message: 'The next attacks say that this is meant so.' };
      }),
      handle(attackEndpoints.forgetFinding, async ({ params, actor }) => {
        await takeBackMeant(context, actor, params);
        return { success: true as const, message: 'It is a finding again.' };
      }),
    ],
    attack: (page, by, signal) => attackPage(context, by, page, signal),
    connect(service) {
      connected = service;
    },
  };
}
