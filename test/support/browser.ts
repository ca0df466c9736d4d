import { existsSync } from 'node:fs';
import { type BrowserContext, type BrowserContextOptions, chromium } from 'playwright-core';

/** A real browser with a fresh profile. */
export interface TestBrowser {
  /** A person with a browser of their own: no cookies, no history. Ends with the test's `closeContexts`. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  closeContexts(kept?: Set<BrowserContext>): Promise<void>;
  close(): Promise<void>;
}

const CHROMIUM = '/usr/bin/chromium';
/** The same engine without windows and menus: it needs less than half the processor time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
/** Generous, because only what fails takes this long. */
const ACTION_TIMEOUT_MS = 60_000;

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
  // As in the browsers that people have: what a page does to its process, it does not do to the dashboard's.
  '--site-per-process',
];

export interface LaunchOptions {
  flags?: string[];
  /** Prefers the engine alone where that is installed. */
  isLean?: boolean;
  /** Where its profile is to be. */
  folder?: string;
}

export async function launchBrowser(options: LaunchOptions = {}): Promise<TestBrowser> {
  const before = process.env.TMPDIR;
  // Playwright has no other way to say where.
  if (options.folder) process.env.TMPDIR = options.folder;
  const browser = await chromium
    .launch({
      executablePath: options.isLean && existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM,
      args: [...FLAGS, ...(options.flags ?? [])],
    })
    .finally(() => {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    });
  return {
    async context(contextOptions = {}) {
      const context = await browser.newContext(contextOptions);
      context.setDefaultTimeout(ACTION_TIMEOUT_MS);
      return context;
    },
    async closeContexts(kept = new Set()) {
      const contexts = browser.contexts().filter((context) => !kept.has(context));
      await Promise.all(contexts.map((context) => context.close()));
    },
    close: () => browser.close(),
  };
}
