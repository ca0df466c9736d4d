import type { RegistrationMode } from '../../../contract/accounts/registration-modes.ts';
import type { Route } from '../../platform/http/index.ts';
import type { TeamsContext } from './context.ts';
import { removeFilesWithPage } from './files.ts';
import { StoredFiles } from './privacy/stored.ts';
import { teamRoutes } from './routes.ts';
import { joinScreens } from './screens.ts';
import { deleteExpiredInvites } from './store.ts';

/** Where the bytes of a file are stored. */
export { fileKey } from './files.ts';
/** Who is in the team of a page. */
export { listTeam } from './members.ts';
/** Exports teams. */
export { exportTeam } from './privacy/export.ts';
/** The role of a user on the team of a page, the teams that a user is in, and who was invited by mail. */
export {
  findMemberByName,
  findRole,
  forgetInvited,
  listMemberships,
  measureTeamFiles,
  putMember,
} from './store.ts';

/** Teams: who works on a page together, and the files they share. */
export interface Teams {
  routes: Route[];
  /** Removes a page's files when it is deleted. Returns the freed bytes. */
  removeFiles: ReturnType<typeof removeFilesWithPage>;
  /** Files that users have uploaded, on any page. */
  stored: StoredFiles;
  /** Deletes invites that have expired. */
  purge(): Promise<void>;
}

export function createTeams(
  options: Omit<TeamsContext, 'baseUrl'> & {
    config: { baseUrl: string; pagesHost: string | undefined };
    serviceSettings: { registration(): Promise<RegistrationMode> };
  },
): Teams {
  const { config, serviceSettings, ...rest } = options;
  const context = { ...rest, baseUrl: config.baseUrl };
  const scheme = new URL(config.baseUrl).protocol;
  // Joining leads to the page, which may be on its own host.
  const formTargets = config.pagesHost ? `'self' ${scheme}//*.${config.pagesHost}` : "'self'";
  return {
    routes: [
      ...teamRoutes(context),
      ...joinScreens({ ...context, formTargets, registration: () => serviceSettings.registration() }),
    ],
    removeFiles: removeFilesWithPage(context),
    stored: new StoredFiles(context),
    purge: () => deleteExpiredInvites(options.db, options.now()),
  };
}
