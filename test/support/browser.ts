import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** A real browser with a fresh profile, for one test file. */
export interface TestBrowser {
  /** A person with a browser of their own: no cookies, no history. Ends with the test's `closeContexts`. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  closeContexts(): Promise<void>;
  close(): Promise<void>;
}

const EXECUTABLE = '/usr/bin/chromium';
const ACTION_TIMEOUT_MS = 15_000;

const FLAGS = [
  '--headless',
  // Containers, where tests often run as root, have no user namespaces to build the browser's own sandbox from.
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function launchBrowser(options: { flags?: string[] } = {}): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: EXECUTABLE,
    args: [...FLAGS, ...(options.flags ?? [])],
  });
  return {
    async context(contextOptions = {}) {
      const context = await browser.newContext(contextOptions);
      context.setDefaultTimeout(ACTION_TIMEOUT_MS);
      return context;
    },
    async closeContexts() {
      await Promise.all(browser.contexts().map((context) => context.close()));
    },
    close: () => browser.close(),
  };
}
