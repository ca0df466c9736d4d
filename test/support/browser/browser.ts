import { existsSync } from 'node:fs';
import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';

/** A real browser with a fresh profile. */
export interface TestBrowser {
  /** A person with a separate browser: no cookies, no history. Closed by the test's `closeContexts`. */
  context(options?: BrowserContextOptions): Promise<BrowserContext>;
  closeContexts(kept?: Set<BrowserContext>): Promise<void>;
  /** What is on the screens of all tabs. */
  screens(): Promise<string[]>;
  close(): Promise<void>;
}

const CHROMIUM = '/usr/bin/chromium';
/** The same engine without windows and menus. It needs less than half the CPU time. */
const HEADLESS_SHELL = '/usr/bin/chromium-headless-shell';
/** Long, because only a failure takes this long. */
export const ACTION_TIMEOUT_MS = 60_000;
const SCREEN_TIMEOUT_MS = 5_000;
const SCREEN_LENGTH = 1_500;

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
  // As in real browsers: a page cannot affect the process of the dashboard.
  '--site-per-process',
  // Each site still has its own process. But tabs of one site share it, and the browser starts no spare processes.
  '--renderer-process-limit=1',
];

export interface LaunchOptions {
  flags?: string[];
  /** Prefers the headless shell if it is installed. */
  isLean?: boolean;
}

export async function launchBrowser(options: LaunchOptions = {}): Promise<TestBrowser> {
  const browser = await chromium.launch({
    executablePath: options.isLean && existsSync(HEADLESS_SHELL) ? HEADLESS_SHELL : CHROMIUM,
    args: [...FLAGS, ...(options.flags ?? [])],
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
    screens: () => Promise.all(browser.contexts().flatMap((context) => context.pages().map(describeScreen))),
    close: () => browser.close(),
  };
}

async function describeScreen(tab: Page): Promise<string> {
  const body = tab.locator('body').innerText({ timeout: SCREEN_TIMEOUT_MS });
  const text = await body.catch((error: Error) => error.message);
  return `${tab.url()}\n${text.slice(0, SCREEN_LENGTH)}`;
}
