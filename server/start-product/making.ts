import { type Accounts, findTrialOwner, peekTrialOwner } from '../product/accounts/index.ts';
import type { Analytics } from '../product/analytics/index.ts';
import { createAttack } from '../product/attack/index.ts';
import { type BranchesSlice, findPageOfBranch } from '../product/branches/index.ts';
import type { BuilderSlice } from '../product/builder/index.ts';
import type { Checks } from '../product/checks/index.ts';
import { readCredits } from '../product/credits/index.ts';
import { readSchemas } from '../product/data/index.ts';
import { createImports, findRequested, insertRequest } from '../product/imports/index.ts';
import type { PageDirectory, Pages } from '../product/pages/index.ts';
import type { PageAttacks } from '../product/ports.ts';
import { createRepairs, type RepairsSlice } from '../product/repairs/index.ts';
import { createTrials } from '../product/trials/index.ts';
import { createTemplates, type OffersBuilder } from '../sites/templates/index.ts';
import type { Platform } from '../start-platform.ts';
import { readTexts } from './visitors.ts';

/** Attacks, for what is started before them. */
export const laterAttacks = (find: () => PageAttacks): PageAttacks => ({
  attack: (...given) => find().attack(...given),
  afterPublishing: (...given) => find().afterPublishing(...given),
  readLast: (page) => find().readLast(page),
});

/** Repairs errors with the builder, on branches. */
export function startRepairs(
  platform: Platform,
  others: {
    directory: PageDirectory;
    pages: Pages;
    analytics: Analytics;
    builder: BuilderSlice;
  },
): RepairsSlice {
  const { db } = platform;
  const { directory, pages, analytics, builder } = others;
  return createRepairs({
    ...platform,
    pages: directory,
    builder,
    findError: analytics.findError,
    readCredits: (userId) => readCredits(db, userId),
    readTexts: (page) => readTexts(platform, pages, page),
    async findBranch(pageId, name) {
      for (const id of await pages.branches.listBranches(db, pageId))
        if ((await pages.branches.find(db, id))?.slug.endsWith(`--${name}`)) return id;
      return undefined;
    },
    removeBranch: pages.branches.remove,
  });
}

/** Starts what makes pages through the API: imports, templates, trials and the copies that are attacked. They get it when all routes are known. */
export function startMaking(
  platform: Platform,
  others: {
    accounts: Accounts;
    directory: PageDirectory;
    pages: Pages;
    checks: Checks;
    branches: BranchesSlice;
    builder: BuilderSlice;
  },
) {
  const { db, now } = platform;
  const { accounts, branches, builder, checks, directory, pages } = others;
  const templates = createTemplates();
  const imports = createImports({ ...platform, pages: directory, templates });
  const offersBuilder = offerBuilder(platform, builder);
  const trials = createTrials({
    ...platform,
    ...platform.serviceSettings.forReaders,
    templates,
    offersBuilder,
    findRequested: (digest) => findRequested(db, digest),
    insertRequest: (pageId, digest) => insertRequest(db, pageId, digest),
    findOwner: () => findTrialOwner(db, now()),
    peekOwner: () => peekTrialOwner(db),
    makeToken: accounts.makeToken,
    makeSession: accounts.pageSessions.makeForTrial,
    publishTemplate: imports.publishTemplate,
    sendWithSession: pages.serving.sendWithSession.bind(pages.serving),
  });
  const attack = createAttack({
    ...platform,
    pages: directory,
    people: checks.standIns,
    createThrowaway: branches.createThrowaway,
    findBranchPage: findPageOfBranch,
    readSchemas: (pageId) => readSchemas(db, pageId),
  });
  return { imports: { ...imports, templates }, trials, attack, offersBuilder };
}

/**
 * Says for whom the builder works: people with credits. Of somebody who is not logged in, only this is known: where
 * anyone can register, they begin with the credits of a new account; elsewhere they have an account.
 */
function offerBuilder(
  { db, connections, serviceSettings }: Platform,
  builder: Pick<BuilderSlice, 'findProblem'>,
): OffersBuilder {
  return async (userId) => {
    if (builder.findProblem() !== undefined) return false;
    if (userId !== undefined) return (await readCredits(db, userId)) > 0;
    const isOpen = (await serviceSettings.forReaders.registration()) === 'open';
    return !isOpen || connections.newUserCredits.credits > 0;
  };
}
