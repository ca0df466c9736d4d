import type { Route } from '../../platform/http/index.ts';
import type { TeamsContext } from './context.ts';
import { removeFilesWithPage } from './files.ts';
import { teamRoutes } from './routes.ts';
import { joinScreens } from './screens.ts';
import { deleteExpiredInvites } from './store.ts';

/** Where the bytes of a file are stored. */
export { fileKey } from './files.ts';
/** The role of a user on the team of a page. */
export { findRole } from './store.ts';

/** Teams: who works on a page together, and the files they share. */
export interface Teams {
  routes: Route[];
  /** Removes a page's files when it is deleted. Returns the freed bytes. */
  removeFiles: ReturnType<typeof removeFilesWithPage>;
  /** Deletes invites that have expired. */
  purge(): Promise<void>;
}

export function createTeams(
  options: Omit<TeamsContext, 'baseUrl'> & {
    config: { baseUrl: string; pagesHost: string | undefined; registration: 'open' | 'closed' };
  },
): Teams {
  const { config, ...rest } = options;
  const context = { ...rest, baseUrl: config.baseUrl };
  const scheme = new URL(config.baseUrl).protocol;
  // Joining leads to the page, which may be on its own host.
  const formTargets = config.pagesHost ? `'self' ${scheme}//*.${config.pagesHost}` : "'self'";
  return {
    routes: [
      ...teamRoutes(context),
      ...joinScreens({ ...context, formTargets, registration: config.registration }),
    ],
    removeFiles: removeFilesWithPage(context),
    purge: () => deleteExpiredInvites(options.db, options.now()),
  };
}
