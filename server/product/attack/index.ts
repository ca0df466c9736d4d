import { ATTACKS_PER_DAY } from '../../../contract/attack/attack.ts';
import { attackEndpoints } from '../../../contract/attack/endpoints.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import { type Handler, handle, type Route } from '../../platform/http/index.ts';
import { attackPage } from './attack.ts';
import type { AttackContext } from './context.ts';
import { sayMeant, takeBackMeant } from './meant.ts';

const DAY_SECONDS = 24 * 3600;

/** Attacks on copies of pages. */
export interface AttackSlice {
  routes: Route[];
  /** Sets the API, which is known only when all routes are. */
  connect(service: { call: Handler }): void;
}

export function createAttack(
  options: Omit<AttackContext, 'perOwner' | 'api'> & { limits: Limits },
): AttackSlice {
  const { limits, ...rest } = options;
  let connected: { call: Handler } | undefined;
  const perOwner = limits.limit(
    'attacks',
    { points: ATTACKS_PER_DAY, seconds: DAY_SECONDS },
    'You have attacked your pages {points} times in a day, which is the limit. Try again {wait}.',
  );
  const context: AttackContext = {
    ...rest,
    perOwner,
    api() {
      if (!connected) throw new Error('attacks are not connected');
      return connected.call;
    },
  };
  return {
    routes: [
      handle(attackEndpoints.attackPage, ({ params, actor, request }) =>
        attackPage(context, actor, params.id, request.signal),
      ),
      handle(attackEndpoints.keepFinding, async ({ params, actor }) => {
        await sayMeant(context, actor, params);
        return { success: true as const, message: 'The next attacks say that this is meant so.' };
      }),
      handle(attackEndpoints.forgetFinding, async ({ params, actor }) => {
        await takeBackMeant(context, actor, params);
        return { success: true as const, message: 'It is a finding again.' };
      }),
    ],
    connect(service) {
      connected = service;
    },
  };
}
