import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { Cluster } from '../cluster/cluster.ts';
import { type CallOptions, PASSWORD, type TestResponse } from '../http/call.ts';
import { call, login, publish, register } from '../http/client.ts';
import { freePort, startServer } from '../server.ts';
import { closeAtEnd } from '../teardown.ts';
import { ACTION_TIMEOUT_MS, launchBrowser, type TestBrowser } from './browser.ts';
import { startHttps } from './https.ts';
import { TabPool } from './tabs.ts';

export { PASSWORD };

/** A running service with people and pages, and a browser to look at it. */
export interface Stage {
  baseUrl: string;
  isolation: 'origin' | 'sandbox' | 'trusted';
  dataFolder: string;
  /** Calls the API unlike a browser: no origin, no fetch metadata. */
  call(method: string, path: string, options?: CallOptions): Promise<TestResponse>;
  register(username: string): Promise<Person>;
  publish(owner: Person, html: string, fields?: Record<string, unknown>): Promise<Published>;
  /** An empty tab of a new browser profile in which the person, if any, is logged in. */
  enter(person?: Person): Promise<Page>;
  /**
   * The same in a tab that an earlier test may have used. Much cheaper, for tests that do not depend on the
   * browser.
   */
  reuse(person?: Person): Promise<Page>;
  /** What the server has printed so far. */
  output(): string;
  close(): Promise<void>;
}

export interface Person {
  id: number;
  username: string;
  token: string;
}

export interface Published {
  id: number;
  slug: string;
  /** The URL that people get: `/p/<slug>`. */
  url: string;
  /** The URL where the page finally is. */
  address: string;
}

/** Where a service can run. Browsers treat these very differently. */
export type Setting = keyof typeof SETTINGS;

const SETTINGS = {
  /** The default, on localhost: the pages' hosts are another site than the base. */
  origin: (port: number) => ({ base: `http://localhost:${port}`, pagesHost: `pages.localhost:${port}` }),
  /** The pages' hosts are the same site as the base, so that browsers send cookies from one to the other. */
  'origin over HTTPS': (_: number, httpsPort: number) => ({
    base: `https://quire.test:${httpsPort}`,
    pagesHost: `pages.quire.test:${httpsPort}`,
  }),
  sandbox: (port: number) => ({ base: `http://127.0.0.1:${port}` }),
  trusted: (port: number) => ({ base: `http://localhost:${port}` }),
  /** Plain HTTP on a name other than localhost, where browsers send no fetch metadata. */
  'origin on a plain network': (port: number) => ({
    base: `http://quire.test:${port}`,
    pagesHost: `pages.quire.test:${port}`,
  }),
  'sandbox on a plain network': (port: number) => ({ base: `http://quire.test:${port}` }),
} satisfies Record<string, (port: number, httpsPort: number) => { base: string; pagesHost?: string }>;

/** Makes `quire.test` and domains of pages resolve to this machine without DNS, and accepts their certificates. */
const BROWSER_FLAGS = [
  '--host-resolver-rules=MAP quire.test 127.0.0.1, MAP *.quire.test 127.0.0.1, MAP *.customer.test 127.0.0.1',
  '--ignore-certificate-errors',
  // Without a graphics card, a process for it only costs time. So does optimizing scripts that soon end.
  '--in-process-gpu',
];

/** Limits that many files together would reach, and settings that some of them need. */
const SHARED_SETTINGS = {
  QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
  QUIRE_LOGIN_FAILURES_PER_ADDRESS: '0',
  QUIRE_FORMS_PER_MINUTE: '0',
  QUIRE_IMAGE_SEARCH: 'demo',
  // Tests look for requests that must not be answered.
  QUIRE_LOG_LEVEL: 'debug',
  // No test depends on a registry elsewhere.
  QUIRE_NPM_REGISTRY: 'off',
};

let launching: Promise<TestBrowser> | undefined;
const stages = new Map<Setting, Promise<Stage>>();

/** The one browser of this process. */
function sharedBrowser(): Promise<TestBrowser> {
  launching ??= launchBrowser({ flags: BROWSER_FLAGS, isLean: true }).then((browser) => {
    closeAtEnd(async () => {
      launching = undefined;
      await browser.close();
    });
    return browser;
  });
  return launching;
}

/** A new browser profile, with animations off so that no test waits for them. */
export async function newContext(options: BrowserContextOptions = {}): Promise<BrowserContext> {
  return (await sharedBrowser()).context({ reducedMotion: 'reduce', ...options });
}

const pool = new TabPool(newContext);

/** When the test opened its first tab. */
let openedAt: number | undefined;

/** Closes every tab, at the end of each test. If the test has waited in vain, this prints what it was looking at. */
export async function closeTabs(): Promise<void> {
  const browser = await launching;
  if (openedAt && performance.now() - openedAt > ACTION_TIMEOUT_MS)
    for (const screen of (await browser?.screens()) ?? [])
      console.log(`A test took long. On the screen: ${screen}`);
  await pool.release();
  await browser?.closeContexts(pool.contexts());
  openedAt = undefined;
}

/**
 * A service that all files of this process share. Each file registers people and chooses slugs that no other file
 * uses. Tests about the whole service need their own, from `openStage`.
 */
export function sharedStage(setting: Setting = 'origin'): Promise<Stage> {
  const opened = stages.get(setting);
  if (opened) return opened;
  const dataFolder = mkdtempSync(join(tmpdir(), 'quire-stage-'));
  const opening = openStage(setting, SHARED_SETTINGS, dataFolder).then((stage) => {
    closeAtEnd(async () => {
      stages.delete(setting);
      await stage.close();
      rmSync(dataFolder, { recursive: true, force: true });
    });
    return stage;
  });
  stages.set(setting, opening);
  return opening;
}

export async function openStage(
  setting: Setting,
  settings: Record<string, string> = {},
  dataFolder?: string,
): Promise<Stage> {
  const isolation = (setting.split(' ')[0] ?? '') as Stage['isolation'];
  const port = await freePort();
  const https = setting === 'origin over HTTPS' ? startHttps(port) : undefined;
  const place: { base: string; pagesHost?: string } = SETTINGS[setting](port, https?.port ?? 0);
  const { base: baseUrl, pagesHost } = place;
  const server = await startServer({
    port,
    ...(dataFolder && { dataFolder }),
    settings: {
      QUIRE_BASE_URL: baseUrl,
      QUIRE_ISOLATION: isolation === 'trusted' ? 'trusted' : 'auto',
      ...(pagesHost && { QUIRE_PAGES_HOST: pagesHost }),
      ...settings,
    },
  });
  return {
    ...standOn(server, { isolation, pagesHost }),
    async close() {
      await https?.stop();
      await server.stop();
    },
  };
}

/** A service that runs: a server, or nodes behind a load balancer. */
interface Service {
  baseUrl: string;
  port: number;
  dataFolder: string;
  output(): string;
}

/** A stage on nodes behind a load balancer. Who started them stops them. */
export function clusterStage({ url: baseUrl, port, nodes }: Cluster): Stage {
  const output = () => nodes.map((node) => node.output()).join('\n');
  const service = { baseUrl, port, dataFolder: '', output };
  const pagesHost = `pages.localhost:${port}`;
  return { ...standOn(service, { isolation: 'origin', pagesHost }), close: async () => undefined };
}

function standOn(
  service: Service,
  { isolation, pagesHost }: { isolation: Stage['isolation']; pagesHost: string | undefined },
): Omit<Stage, 'close'> {
  const { baseUrl } = service;
  const cookies = new Map<string, string>();
  /** A person's login, shared by all their tabs: each login costs a password hash. */
  async function logInto(context: BrowserContext, { username }: Person): Promise<void> {
    let cookie = cookies.get(username);
    const isGood = cookie && (await call(service, 'GET', '/api/auth/me', { cookie })).status === 200;
    if (!cookie || !isGood) cookie = await login(service, username);
    cookies.set(username, cookie);
    const [, name = '', value = ''] = /^([^=]+)=(.+)/.exec(cookie) ?? [];
    await context.addCookies([{ name, value, url: baseUrl }]);
  }

  return {
    baseUrl,
    isolation,
    dataFolder: service.dataFolder,
    call: (method, path, options) => call(service, method, path, options),
    register: (username) => register(service, username),
    async publish(owner, html, fields) {
      const { id, slug, url } = await publish(service, owner.token, { html_content: html, ...fields });
      const address = pagesHost ? baseUrl.replace(/\/\/.*/, `//p${id}.${pagesHost}/`) : url;
      return { id, slug, url, address };
    },
    async enter(person) {
      openedAt ??= performance.now();
      const context = await newContext();
      if (person) await logInto(context, person);
      return context.newPage();
    },
    async reuse(person) {
      openedAt ??= performance.now();
      const tab = await pool.take(`${baseUrl}/healthz`);
      if (person) await logInto(tab.context(), person);
      return tab;
    },
    output: service.output,
  };
}

/** Fills in the login form in the tab. */
export async function logIn(tab: Page, person: { username: string }, password = PASSWORD): Promise<void> {
  await tab.fill('input[name=username]', person.username);
  await tab.fill('input[name=password]', password);
  await tab.click('button');
}

/** Waits for the start page. For logged-in users it is the dashboard, which goes on to their pages. */
export function arriveAtStart(tab: Page, stage: Stage): Promise<void> {
  return tab.waitForURL((url) => url.origin === stage.baseUrl && ['/', '/pages'].includes(url.pathname));
}

/** Who the service thinks this browser belongs to. */
export async function loggedInAs(tab: Page, stage: Stage): Promise<string | undefined> {
  const response = await tab.goto(`${stage.baseUrl}/api/auth/me`);
  return response?.ok() ? (await response.json()).user.username : undefined;
}

/** Who a published page thinks this browser belongs to. */
export async function fetchVisitor(tab: Page, address: string): Promise<string | undefined> {
  await tab.goto(address);
  return (await currentUser(tab))?.username;
}

export function currentUser(tab: Page): Promise<{ id: number; username: string } | null> {
  return tab.evaluate('PageUser.current()');
}
