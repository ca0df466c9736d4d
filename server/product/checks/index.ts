import type { GrantableRole } from '../../../contract/roles.ts';
import { Sweeper } from '../../lib/loops/sweeper.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Actor, Log, Route } from '../../platform/http/index.ts';
import type { PageRow } from '../../platform/storage/index.ts';
import type { ChecksContext } from './context.ts';
import { rehearse } from './rehearse.ts';
import { checkRoutes } from './routes.ts';
import { latestScreenshot, purgeScreenshots } from './screenshots.ts';
import { LEFT_BEHIND_MS, makeStandIn, purgeStandIns, removeStandIn } from './stand-ins.ts';

/** Removes the screenshots of a user whose account is deleted. */
export { hasScreenshots, removeUserScreenshots } from './privacy/remove.ts';
/** Where the bytes of screenshots are stored, and how a page's are deleted with it. */
export { removeScreenshotsWithPage, screenshotKey } from './screenshots.ts';

const CHECKS = { points: 20, seconds: 60 };

/** Checks of pages in a browser. */
export interface Checks {
  routes: Route[];
  /** The latest desktop screenshot of a page; undefined if there is none. */
  latestScreenshot(pageId: number): Promise<Uint8Array | undefined>;
  /** Opens a page as its owner, and says what goes wrong; undefined if this server has no browser. */
  rehearse(owner: Actor, pageId: number): Promise<string[] | undefined>;
  /** Invented people who visit a page. One that a crash leaves behind is removed after five minutes. */
  standIns: {
    make(page: PageRow, person: { name: string; role?: GrantableRole }): Promise<number>;
    remove(person: { userId: number; pageId: number }): Promise<void>;
  };
  /** Deletes screenshots that have expired, and people whom a crash has left behind. */
  purge(): Promise<void>;
  stop(): Promise<void>;
}

export function createChecks(
  options: Omit<ChecksContext, 'limit' | 'baseUrl' | 'isolation' | 'pagesHost'> & {
    limits: Limits;
    log: Log;
    config: Pick<ChecksContext, 'baseUrl' | 'isolation' | 'pagesHost'>;
  },
): Checks {
  const { limits, log, config, ...rest } = options;
  const limit = limits.limit('page checks', CHECKS, 'Too many checks of pages. Try again {wait}.');
  const context = { ...rest, ...config, limit };
  const sweeper = new Sweeper({
    everyMs: LEFT_BEHIND_MS,
    log,
    purges: { 'people who were invented for checks': () => purgeStandIns(context) },
  });
  return {
    routes: checkRoutes(context),
    rehearse: (owner, pageId) => rehearse(context, owner, pageId),
    standIns: {
      make: (page, person) => makeStandIn(context, page, person),
      remove: (person) => removeStandIn(context, person),
    },
    latestScreenshot: (pageId) => latestScreenshot(context, pageId),
    async purge() {
      await purgeScreenshots(context);
      await sweeper.sweep();
    },
    stop: () => sweeper.stop(),
  };
}
