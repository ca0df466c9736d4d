import type { BrowserContext, CDPSession, Page } from 'playwright-core';

interface Tab {
  context: BrowserContext;
  page: Page;
  cdp: CDPSession;
  /**
   * A small document of the service. With one of another site, the browser would give the tab a new process.
   */
  home: string;
  isFree: boolean;
}

/**
 * Tabs that several tests use in turn, each as if it were new. A new tab is a new process, which compiles the whole
 * dashboard before it shows anything.
 */
export class TabPool {
  private tabs: Tab[] = [];

  constructor(private readonly newContext: () => Promise<BrowserContext>) {}

  async take(home: string): Promise<Page> {
    let tab = this.tabs.find((each) => each.isFree && each.home === home);
    if (!tab) {
      const context = await this.newContext();
      const page = await context.newPage();
      tab = { context, page, cdp: await context.newCDPSession(page), home, isFree: true };
      this.tabs.push(tab);
    }
    tab.isFree = false;
    return tab.page;
  }

  /** Resets the used tabs. A tab that cannot be reset is not used again. */
  async release(): Promise<void> {
    const outcomes = await Promise.all(
      this.tabs.map((tab) =>
        tab.isFree
          ? tab
          : empty(tab).then(
              () => tab,
              () => undefined,
            ),
      ),
    );
    this.tabs = outcomes.filter((tab) => tab !== undefined);
  }

  /** The profiles that `release` has kept. */
  contexts(): Set<BrowserContext> {
    return new Set(this.tabs.map(({ context }) => context));
  }
}

/** Events that tests listen to. Not all events, because Playwright needs some itself. */
const LISTENED = ['console', 'dialog', 'pageerror', 'request', 'requestfailed', 'response'] as const;

/** Removes everything a test left behind: listeners, routes, settings, other tabs, storage, cookies. */
async function empty(tab: Tab): Promise<void> {
  const { context, page, cdp, home } = tab;
  if (page.isClosed()) throw new Error('the tab is closed');
  for (const event of LISTENED) page.removeAllListeners(event);
  await context.setOffline(false);
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  const others = context.pages().filter((each) => each !== page);
  await Promise.all(others.map((each) => each.close()));
  // The dashboard may store something when it closes. That must happen before the storage is cleared.
  await page.goto(home);
  await page.evaluate('sessionStorage.clear()');
  await cdp.send('Storage.clearDataForOrigin', { origin: '*', storageTypes: 'all' });
  await context.clearCookies();
  await context.clearPermissions();
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.emulateMedia({ colorScheme: null, media: null });
  tab.isFree = true;
}
