import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { closeTabs, type Person, type Stage, sharedStage } from '../support/browser/stage.ts';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { install } from './install.ts';
import { DEEP, DEEP_PATH, HOME, type Site } from './site.ts';
import { DOCUMENTS } from './sites/documents.ts';
import { REACT } from './sites/react.ts';
import { VITE } from './sites/vite.ts';

/**
 * Sites that real generators have built, in a real browser. Where pages have hosts of their own, they are built as usual;
 * in the sandbox, with relative addresses or for the path of the page. What the registry of this machine lacks is named
 * and skipped.
 */

const CASE_MS = 660_000;
const BUILD_MS = 600_000;
const ISOLATIONS = ['origin', 'sandbox'] as const;
/** No generator reports that it ran, or asks whether there is a newer one. */
const QUIET = {
  ASTRO_TELEMETRY_DISABLED: '1',
  NEXT_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
  NO_UPDATE_NOTIFIER: '1',
  CI: '1',
};

const SITES = [...VITE, ...DOCUMENTS, ...REACT];

const folder = mkdtempSync(join(tmpdir(), 'quire-generators-'));
/** The folders with the packages of sites; undefined if the registry lacks some. */
const installed = new Map<string, string | undefined>();
for (const { packages } of SITES) {
  const key = JSON.stringify(packages);
  if (installed.has(key)) continue;
  const at = join(folder, `packages-${installed.size}`);
  installed.set(key, (await install(at, packages)) ? at : undefined);
}

const stages = new Map<string, { stage: Stage; owner: Person; shell: Shell }>();
beforeAll(async () => {
  for (const isolation of ISOLATIONS) {
    const stage = await sharedStage(isolation);
    const owner = await stage.register(`gerda-generates-${isolation}`);
    const shell = openShell({ QUIRE_URL: stage.baseUrl, QUIRE_TOKEN: owner.token, ...QUIET });
    stages.set(isolation, { stage, owner, shell });
  }
});
afterEach(closeTabs);
afterAll(async () => {
  for (const { shell } of stages.values()) await shell.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** Builds and pushes a site. Resolves to its URL. */
async function push(site: Site, isolation: string): Promise<string> {
  const { shell, stage } = find(isolation);
  const slug = `built-${site.name.toLowerCase().replaceAll(' ', '-')}`;
  const base = isolation === 'origin' ? '/' : site.isRelative ? './' : `/p/${slug}/`;
  const project = join(installed.get(JSON.stringify(site.packages)) ?? folder, slug, isolation);
  for (const [path, content] of Object.entries(site.write(base))) {
    mkdirSync(dirname(join(project, path)), { recursive: true });
    writeFileSync(join(project, path), content);
  }
  const args = ['pages', 'push', project, '--build', '--slug', slug, ...(site.isApp ? ['--spa'] : [])];
  const pushed = await shell.run(args, { timeoutMs: BUILD_MS });
  expect([pushed.code, pushed.code === 0 ? '' : pushed.stderr]).toEqual([0, '']);
  expect(pushed.stderr).not.toContain('warning:');
  return `${stage.baseUrl}/p/${slug}`;
}

function find(isolation: string) {
  const found = stages.get(isolation);
  if (!found) throw new Error('It has not started.');
  return found;
}

/** What is wrong with a document: errors in the console, and what does not load. */
function watchErrors(tab: Page): string[] {
  const errors: string[] = [];
  tab.on('console', (message) => {
    if (message.type() === 'error') errors.push(`${message.text()} ${message.location().url}`);
  });
  tab.on('pageerror', (error) => errors.push(error.message));
  tab.on('response', (response) => {
    if (response.status() >= 400) errors.push(`${response.status()} ${response.url()}`);
  });
  return errors;
}

/** Waits until a document shows its heading and its picture, and its script runs. */
async function expectWhole(tab: Page, heading: string): Promise<void> {
  await tab.waitForFunction(
    `document.querySelector('h1')?.textContent.replace(/\\u200b/g, '').trim() === '${heading}'`,
  );
  await tab.waitForFunction("document.querySelector('#mark')?.naturalWidth > 0");
  expect(await tab.getAttribute('#mark', 'src')).not.toStartWith('data:');
  // A click before the script runs has no effect.
  await tab.waitForFunction(
    "(document.querySelector('#count').click(), Number(document.querySelector('#count').textContent) > 0)",
  );
}

async function check(site: Site, isolation: string): Promise<void> {
  const url = await push(site, isolation);
  const tab = await find(isolation).stage.enter();
  const errors = watchErrors(tab);
  await tab.goto(url);
  expect(new URL(tab.url()).hostname.startsWith('p')).toBe(isolation === 'origin');
  await expectWhole(tab, HOME);
  await tab.evaluate('window.isSame = true');
  await tab.click('#next');
  await expectWhole(tab, DEEP);
  expect(await tab.evaluate('window.isSame === true')).toBe(!site.loadsDocuments);
  expect(tab.url()).toContain(`/${DEEP_PATH}`);
  const reloaded = await tab.reload();
  expect(reloaded?.status()).toBe(200);
  await expectWhole(tab, DEEP);
  expect(errors).toEqual([]);
}

const cases = SITES.flatMap((site) =>
  ISOLATIONS.map((isolation): [string, string, Site] => [site.name, isolation, site]),
);
const isInstalled = ({ packages }: Site) => installed.get(JSON.stringify(packages)) !== undefined;
for (const { name } of SITES.filter((site) => !isInstalled(site)))
  test.skip(`a site of ${name}, which needs a package that the registry does not have`, () => undefined);

test.each(cases.filter(([, , site]) => isInstalled(site)))(
  'a site of %s works in %s isolation',
  (_, isolation, site) => check(site, isolation),
  CASE_MS,
);
