import {
  type Accounts,
  chargeWithoutQuota,
  findReachable,
  listConfirmedEmails,
  peekTrialOwner,
} from '../product/accounts/index.ts';
import type { Analytics } from '../product/analytics/index.ts';
import type { BranchesSlice } from '../product/branches/index.ts';
import { type Functions, startFunctions } from '../product/functions/index.ts';
import type { PageDirectory } from '../product/pages/index.ts';
import type { MomentKeeper } from '../product/ports.ts';
import { findMemberByName, listTeam } from '../product/teams/index.ts';
import type { Platform } from '../start-platform.ts';

/** Functions learn about their owners, and about the pages and visitors that call them. */
export function startFunctionSlice(
  platform: Platform,
  others: {
    accounts: Accounts;
    directory: PageDirectory;
    moments: MomentKeeper;
    branches: BranchesSlice;
    analytics: Pick<Analytics, 'callFailed'>;
  },
): Promise<Functions> {
  const { directory } = others;
  const { identities, pageSessions, chargeUsage, remaining } = others.accounts;
  return startFunctions({
    ...platform,
    identities,
    visitors: pageSessions,
    findMember: findMemberByName,
    chargeUsage,
    chargeWithoutQuota,
    remaining,
    pages: directory,
    moments: others.moments,
    callFailed: others.analytics.callFailed,
    keepMail: others.branches.keepMail,
    findReachable,
    listConfirmedEmails,
    listTeam,
    peekTrialOwner: () => peekTrialOwner(platform.db),
  });
}
