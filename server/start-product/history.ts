import {
  type Accounts,
  chargeWithoutQuota,
  findConfirmedEmail,
  readUsernames,
} from '../product/accounts/index.ts';
import { type BranchesSlice, createBranches } from '../product/branches/index.ts';
import type { Checks } from '../product/checks/index.ts';
import type { Data } from '../product/data/index.ts';
import type { Functions } from '../product/functions/index.ts';
import { createHistory, type History } from '../product/history/index.ts';
import type { PageDirectory, Pages } from '../product/pages/index.ts';
import type { PageAttacks } from '../product/ports.ts';
import type { Platform } from '../start-platform.ts';

/** Starts the history of pages. Whatever changes something tells it so; it is connected when all of that is started. */
export function startHistory(
  platform: Platform,
  others: { accounts: Accounts; directory: PageDirectory },
): History {
  const { accounts, directory } = others;
  return createHistory({
    ...platform,
    directory,
    readQuota: accounts.readUsage,
    readUsernames: (ids) => readUsernames(platform.db, ids),
    chargeWithoutQuota,
  });
}

export async function connectHistory(
  platform: Platform,
  others: {
    history: History;
    pages: Pages;
    functions: Functions;
    data: Data;
    branches: BranchesSlice;
  },
): Promise<void> {
  const { history, pages, functions, data, branches } = others;
  const { snapshots } = platform;
  await history.connect({
    pages: pages.history,
    functions: functions.history,
    records: data.history,
    snapshots,
    merging: branches.merging,
    listBases: branches.listBases,
  });
  await connectBranches(platform, { branches, pages, functions, data });
}

/** Branches stand on moments. Whatever they copy is connected when it is started. */
export function startBranches(
  platform: Platform,
  others: {
    accounts: Accounts;
    directory: PageDirectory;
    history: History;
    attacks: PageAttacks;
    /** They are started later. */
    checks(): Pick<Checks, 'rehearse'>;
  },
): BranchesSlice {
  const { accounts, directory, history, attacks, checks } = others;
  return createBranches({
    ...platform,
    ...{ directory, attacks, findConfirmedEmail },
    check: (owner, pageId) => checks().rehearse(owner, pageId),
    moments: history.forBranches,
    ...{ chargeUsage: accounts.chargeUsage, chargeWithoutQuota },
    readUsernames: (ids) => readUsernames(platform.db, ids),
  });
}

function connectBranches(
  { snapshots }: Platform,
  others: { branches: BranchesSlice; pages: Pages; functions: Functions; data: Data },
): Promise<void> {
  const { branches, pages, functions, data } = others;
  return branches.connect({
    pages: pages.branches,
    functions: { ...functions.branches, changed: functions.history.changed },
    records: { ...data.branches, latest: data.history.latest, oldest: data.history.oldest },
    snapshots,
  });
}
