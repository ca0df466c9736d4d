import { createProviders } from '../platform/providers/index.ts';
import type { Db, PageRow } from '../platform/storage/index.ts';
import {
  type Accounts,
  chargeWithoutQuota,
  deviceName,
  findConfirmedEmail,
} from '../product/accounts/index.ts';
import { type Analytics, createAnalytics } from '../product/analytics/index.ts';
import type { BranchesSlice } from '../product/branches/index.ts';
import type { Checks } from '../product/checks/index.ts';
import type { Credits } from '../product/credits/index.ts';
import { createData, type Data } from '../product/data/index.ts';
import { createFeatures, DEMO_IMAGES } from '../product/features/index.ts';
import { createForms, type Forms } from '../product/forms/index.ts';
import { type Functions, readCodeOfPage } from '../product/functions/index.ts';
import { createLive, type Live } from '../product/live/index.ts';
import { findDocument, isOpen, measureHtml, type PageDirectory, type Pages } from '../product/pages/index.ts';
import type { MomentKeeper } from '../product/ports.ts';
import type { Platform } from '../start-platform.ts';

export function startData(
  platform: Platform,
  others: {
    accounts: Accounts;
    directory: PageDirectory;
    moments: MomentKeeper;
    /** They are started later. */
    functions(): Functions;
  },
): Data {
  const { accounts, directory } = others;
  const { chargeUsage, readUsage } = accounts;
  return createData({
    ...platform,
    pages: directory,
    chargeUsage,
    chargeWithoutQuota,
    readQuota: async (userId) => (await readUsage(userId)).quota,
    moments: others.moments,
    triggers: () => others.functions().triggers,
  });
}

export function startLive(
  platform: Platform,
  others: {
    accounts: Accounts;
    directory: PageDirectory;
    /** They are started later. */
    functions(): Functions;
  },
): Live {
  const { accounts, directory } = others;
  const live = createLive({ ...platform, pages: directory, findAgain: accounts.findAgain });
  platform.cells.useService('live', async ({ ownerId, functionId }, request) => {
    await live.publish(ownerId, () => request.json(), await others.functions().findBranchPage(functionId));
    return new Response(null, { status: 204 });
  });
  return live;
}

export function startForms(
  platform: Platform,
  others: { accounts: Accounts; directory: PageDirectory; branches: Pick<BranchesSlice, 'keepMail'> },
): Forms {
  const { accounts, directory } = others;
  const { keepMail } = others.branches;
  const { chargeUsage } = accounts;
  return createForms({
    ...platform,
    pages: directory,
    chargeUsage,
    findConfirmedEmail,
    keepMail,
    readPageHtml,
  });
}

/** The texts that the author of a page wrote, by their paths: of the page, and the code of its functions. */
export async function readTexts(
  { db }: Pick<Platform, 'db'>,
  pages: Pick<Pages, 'readTexts'>,
  page: PageRow,
): Promise<Map<string, string>> {
  const code = await readCodeOfPage(db, page);
  const functions = [...code].map(([name, text]) => [`functions/${name}`, text] as const);
  return new Map([...(await pages.readTexts(page)), ...functions]);
}

/** Characters of what the author of a page wrote that are searched, to know what is theirs. */
const MAX_SOURCE = 256 * 1024;

export function startAnalytics(
  platform: Platform,
  { directory, pages }: { directory: PageDirectory /** They are started later. */; pages(): Pages },
): Analytics {
  return createAnalytics({
    ...platform,
    deviceName,
    pages: directory,
    async readSource(page) {
      const texts = await readTexts(platform, pages(), page);
      return [...texts.keys(), ...texts.values()].join('\n').slice(0, MAX_SOURCE);
    },
  });
}

async function readPageHtml(db: Db, pageId: number): Promise<string> {
  return (await findDocument(db, { id: pageId }))?.html_content ?? '';
}

/** The services of others that visitor features use. */
export function startProviders({ baseUrl, connections }: Platform) {
  const providers = createProviders({
    ...connections.chosen,
    baseUrl,
    demoImageUrl: (name) => `${baseUrl}${DEMO_IMAGES}${name}`,
    onProblem: (name, problem) => connections.noteProblem(name, problem),
  });
  connections.onChange(() => providers.use(connections.chosen));
  return providers;
}

export function startFeatures(
  platform: Platform,
  others: {
    accounts: Accounts;
    directory: PageDirectory;
    credits: Credits;
    providers: ReturnType<typeof startProviders>;
    checks: Checks;
    pages: Pages;
    analytics: Analytics;
  },
) {
  const { accounts, directory, credits, providers, checks, pages, analytics } = others;
  return createFeatures({
    ...platform,
    providers,
    credits,
    chargeUsage: accounts.chargeUsage,
    latestScreenshot: checks.latestScreenshot,
    used: analytics.traffic.featureUsed.bind(analytics.traffic),
    pages: directory,
    publishing: {
      isOpen,
      measureHtml,
      create: pages.create,
      fork: pages.fork,
      setPreviewImage: pages.setPreviewImage,
    },
  });
}
