import { type Accounts, findTrialOwner, peekTrialOwner } from '../product/accounts/index.ts';
import { createImports } from '../product/imports/index.ts';
import type { PageDirectory, Pages } from '../product/pages/index.ts';
import { createTrials } from '../product/trials/index.ts';
import { createTemplates } from '../sites/templates/index.ts';
import type { Platform } from '../start-platform.ts';

/** Starts what makes pages through the API: imports, templates and trials. They get it when all routes are known. */
export function startMaking(
  platform: Platform,
  others: { accounts: Accounts; directory: PageDirectory; pages: Pages },
) {
  const { db, now } = platform;
  const { accounts, directory, pages } = others;
  const templates = createTemplates();
  const imports = createImports({ ...platform, pages: directory, templates });
  const trials = createTrials({
    ...platform,
    ...platform.serviceSettings.forReaders,
    templates,
    findOwner: () => findTrialOwner(db, now()),
    peekOwner: () => peekTrialOwner(db),
    makeToken: accounts.makeToken,
    makeSession: accounts.pageSessions.makeForTrial,
    publishTemplate: imports.publishTemplate,
    sendWithSession: pages.serving.sendWithSession.bind(pages.serving),
  });
  return { imports: { ...imports, templates }, trials };
}
