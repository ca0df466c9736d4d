import type { Pages } from '../product/pages/index.ts';
import { LeavingCodes } from '../product/privacy/index.ts';
import type { Platform } from '../start-platform.ts';
import { startBuilder, startSpecs } from './agents.ts';
import { createBlockOwner } from './blocking.ts';
import { startFunctionSlice } from './functions.ts';
import { connectHistory, startBranches, startHistory } from './history.ts';
import { startHome } from './home.ts';
import { laterAttacks, startMaking, startRepairs } from './making.ts';
import { startReports } from './operators.ts';
import { createDirectory, createProtection, startChecks, startPageSlice } from './pages.ts';
import { createLoginsEnded, startAccounts, startCredits, startOAuth, startTeams } from './people.ts';
import { startPrivacy } from './privacy.ts';
import {
  startAnalytics,
  startData,
  startFeatures,
  startForms,
  startLive,
  startProviders,
} from './visitors.ts';

/** What the MCP servers of pages need to know about them. */
export { forPageServers, keepBeforeAgents } from './agents.ts';
/** What the service stores and uses, for administrators. */
export { providerTests, storageSources } from './operators.ts';
/** What administrators can see and do with accounts and credits. */
export { forAdministrators } from './people.ts';

/** The slices of the product, started. */
export type Slices = Awaited<ReturnType<typeof startSlices>>;

/** Starts the slices of the product. They do not import each other: each gets here what it needs from the others. */
export async function startSlices(platform: Platform) {
  const directory = createDirectory(platform);
  const credits = startCredits(platform, { directory });
  const codes = new LeavingCodes(platform);
  const loginsEnded = createLoginsEnded(
    platform,
    (userId) => live.loginsEnded(userId),
    (userId) => privacy.loginsEnded(userId),
  );
  const accounts = startAccounts(platform, {
    directory,
    leavingLink: codes.linkFor.bind(codes),
    loginsEnded,
  });
  const history = startHistory(platform, { accounts, directory });
  const { keeper: moments } = history;
  const attacks = laterAttacks(() => making.attack);
  const branches = startBranches(platform, { accounts, directory, history, attacks, checks: () => checks });
  const data = startData(platform, { accounts, directory, moments, functions: () => functions });
  const live = startLive(platform, { accounts, directory, functions: () => functions });
  const accessChanged = (pageId: number) => {
    for (const slice of [data, live, functions]) slice.accessChanged(pageId);
  };
  const teams = startTeams(platform, { accounts, directory, accessChanged });
  const forms = startForms(platform, { accounts, directory, branches });
  const analytics = startAnalytics(platform, { directory, pages: () => pages });
  const pages: Pages = await startPageSlice(platform, {
    ...{ accounts, directory, data, teams, forms, analytics, accessChanged, history, branches, attacks },
    functionChanged: (id: number) => functions.changed(id),
  });
  const functions = await startFunctionSlice(platform, { accounts, directory, moments, branches, analytics });
  await connectHistory(platform, { history, pages, functions, data, branches });
  const checks = startChecks(platform, { accounts, directory, pages, data, teams, accessChanged });
  const providers = startProviders(platform);
  const features = startFeatures(platform, {
    ...{ accounts, directory, credits, providers, checks, pages, analytics },
  });
  const builder = startBuilder(platform, { directory, credits, providers });
  const specs = startSpecs(platform, { accounts, directory, data });
  const oauth = startOAuth(platform, { accounts, directory, pages, loginsEnded });
  const blockOwner = createBlockOwner({ pages, functions });
  const privacy = startPrivacy(platform, {
    ...{ accounts, codes, credits, directory, data, teams, pages, functions, loginsEnded, blockOwner },
  });
  const pageReports = startReports(platform, { directory, pages });
  const repairs = startRepairs(platform, { directory, pages, analytics, builder });
  const making = startMaking(platform, { accounts, directory, pages, checks, branches, builder });
  const home = startHome(platform, {
    ...{ accounts, analytics, credits, functions, live, history, pageReports, repairs, branches, making },
  });
  const people = { accounts, oauth, credits, teams, privacy, blockOwner };
  return {
    ...people,
    protection: createProtection(platform, directory),
    ...{ directory, providers, data, live, history, branches },
    ...{ forms, analytics, pages, functions },
    ...{ checks, features, specs, builder, repairs, home, pageReports },
    ...making,
  };
}
