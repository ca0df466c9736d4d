import { ATTACKS_PER_DAY, MAX_BACKGROUND_ATTACKS } from '../../../contract/attack/attack.ts';
import { attackEndpoints } from '../../../contract/attack/endpoints.ts';
import { notFound } from '../../lib/errors.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import { type Handler, handle, type Route } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { PageAttacks } from '../ports.ts';
import { AttacksAfterPublishing } from './after-publishing.ts';
import { attackAndSave, attackPage } from './attack.ts';
import type { AttackContext } from './context.ts';
import { sayMeant, takeBackMeant } from './reports/meant.ts';
import { listExposed, readReport } from './reports/report.ts';

/** The page of a branch, for somebody who owns the page that it is of. */
async function requireBranch({ db, pages, findBranchPage }: AttackContext, main: PageRow, name: string) {
  const id = await findBranchPage(db, main.id, name);
  const page = id === undefined ? undefined : await pages.find(db, String(id));
  if (!page) throw notFound('This page has no branch {name}.', { name });
  return page;
}

const DAY_SECONDS = 24 * 3600;

/** Attacks on copies of pages. */
export interface AttackSlice extends PageAttacks {
  routes: Route[];
  /** Sets the API, which is known only when all routes are. */
  connect(service: { call: Handler }): void;
  /** Which of these versions of pages the last attack has found something serious in that is not meant so. */
  listExposed(
    pages: Array<Pick<PageRow, 'id' | 'version'>>,
    limit: number,
  ): Promise<Array<{ pageId: number; findings: number }>>;
  stop(): Promise<void>;
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
  const later = new AttacksAfterPublishing(
    context,
    limits.limit(
      'attacks after publishing',
      { points: MAX_BACKGROUND_ATTACKS, seconds: DAY_SECONDS },
      'Published drafts of this owner were attacked {points} times in a day, which is the limit.',
    ),
  );
  return {
    routes: [
      handle(attackEndpoints.attackPage, async ({ params, body, actor, request }) => {
        const { db, pages } = context;
        const main = await pages.require(db, await pages.find(db, params.id), actor, 'own');
        const page = body.branch === undefined ? main : await requireBranch(context, main, body.branch);
        await perOwner.take(String(actor.userId));
        return attackAndSave(context, actor, page, request.signal);
      }),
      handle(attackEndpoints.readAttack, async ({ params, actor }) => {
        const { db, pages } = context;
        const page = await pages.require(db, await pages.find(db, params.id), actor, 'own');
        return { attack: await readReport(db, page) };
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
    afterPublishing: (page, by) => later.note(page, by),
    readLast: (page) => readReport(context.db, page),
    listExposed: (pages, limit) => listExposed(context.db, pages, limit),
    stop: () => later.stop(),
  };
}
