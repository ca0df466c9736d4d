import type { Route } from '../../platform/http/index.ts';
import type { RemoveWithPage } from '../pages/index.ts';
import type { TeamsContext } from './context.ts';
import { removeFilesWithPage } from './files.ts';
import { teamRoutes } from './routes.ts';
import { joinScreens } from './screens.ts';
import { deleteExpiredInvites } from './store.ts';

/** Where a file's bytes are kept. */
export { fileKey } from './files.ts';

/** Teams: who works on a page together, and the files they share. */
export interface Teams {
  routes: Route[];
  /** Lets go of a page's files when it is deleted. */
  removeFiles: RemoveWithPage;
  /** Forgets invites that have expired; to be called now and then. */
  sweep(): Promise<void>;
}

export function createTeams(
  options: Omit<TeamsContext, 'baseUrl'> & {
    config: { baseUrl: string; pagesHost: string | undefined; registration: 'open' | 'closed' };
  },
): Teams {
  const { config, ...rest } = options;
  const context = { ...rest, baseUrl: config.baseUrl };
  const scheme = new URL(config.baseUrl).protocol;
  // Joining leads to the page, which may be on a host of its own.
  const formTargets = config.pagesHost ? `'self' ${scheme}//*.${config.pagesHost}` : "'self'";
  return {
    routes: [
      ...teamRoutes(context),
      ...joinScreens({ ...context, formTargets, registration: config.registration }),
    ],
    removeFiles: removeFilesWithPage(context),
    sweep: () => deleteExpiredInvites(options.db, options.now()),
  };
}
