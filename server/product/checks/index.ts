import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { ChecksContext } from './context.ts';
import { checkRoutes } from './routes.ts';
import { latestScreenshot, purgeScreenshots } from './screenshots.ts';

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
  /** Deletes screenshots that have expired. */
  purge(): Promise<void>;
}

export function createChecks(
  options: Omit<ChecksContext, 'limit' | 'baseUrl' | 'isolation' | 'pagesHost'> & {
    limits: Limits;
    config: Pick<ChecksContext, 'baseUrl' | 'isolation' | 'pagesHost'>;
  },
): Checks {
  const { limits, config, ...rest } = options;
  const limit = limits.limit('page checks', CHECKS, 'Too many checks of pages. Try again {wait}.');
  const context = { ...rest, ...config, limit };
  return {
    routes: checkRoutes(context),
    latestScreenshot: (pageId) => latestScreenshot(context, pageId),
    purge: () => purgeScreenshots(context),
  };
}
