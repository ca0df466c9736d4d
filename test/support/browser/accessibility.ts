import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { hasLowContrast } from './contrast.ts';

const AXE = readFileSync(join(import.meta.dir, '../../../node_modules/axe-core/axe.min.js'), 'utf8');

/** Skips frames: axe is not loaded in them, and would wait half a second for each. */
const OPTIONS = { resultTypes: ['violations'], iframes: false };
const CONTRAST = { ...OPTIONS, runOnly: ['color-contrast'] };
/** The other rule that depends on colors. */
const LINKS = { ...OPTIONS, runOnly: ['link-in-text-block'] };

interface Violation {
  id: string;
  impact: string | null;
  nodes: Array<{ target: string[]; failureSummary?: string }>;
}

/** What axe considers a serious or critical problem on the screen, or only those that depend on its colors. */
export async function seriousFindings(page: Page, rules: 'all' | 'colors' = 'all'): Promise<string[]> {
  // Evaluated instead of added as a script, because the policy of the screens allows no other script.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const findings = await runAxe(page, rules === 'all' ? await allOthers(page) : LINKS);
  return (await hasLowContrast(page)) ? [...findings, ...(await runAxe(page, CONTRAST))] : findings;
}

let skipped: string[] | undefined;

/** All rules but the contrast, and those whose findings are at most moderate. */
async function allOthers(page: Page): Promise<object> {
  skipped ??= (await page.evaluate(
    `axe._audit.rules.filter(({ impact }) => impact === 'minor' || impact === 'moderate').map(({ id }) => id)`,
  )) as string[];
  const rules = Object.fromEntries(['color-contrast', ...skipped].map((id) => [id, { enabled: false }]));
  return { ...OPTIONS, rules };
}

async function runAxe(page: Page, options: object): Promise<string[]> {
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`;
  const violations = (await page.evaluate(run)) as Violation[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    );
}

/** Checks that the screen is accessible in light and dark mode, which differ only in colors. */
export async function expectReadable(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    await expectReadableIn(page, colorScheme);
  }
}

/** The same for the mode that the screen is in. In dark mode it checks only the colors. */
export async function expectReadableIn(page: Page, colorScheme: 'dark' | 'light'): Promise<void> {
  const findings = await seriousFindings(page, colorScheme === 'dark' ? 'colors' : 'all');
  const url = page.url();
  expect({ url, colorScheme, findings }).toEqual({ url, colorScheme, findings: [] });
}

/** Collects what the browser reports from now on: console errors and warnings, and uncaught errors. */
export function watchComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    const text = message.text();
    // The text of a failed request does not say which it was.
    const what = text.startsWith('Failed to load') ? `${text} ${message.location().url}` : text;
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(what);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

/** The same for screens with an error status, which is expected. */
export function collectComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    const isStatus = message.location().url === page.url() && message.text().startsWith('Failed to load');
    if (['error', 'warning'].includes(message.type()) && !isStatus) complaints.push(message.text());
  });
  return complaints;
}

/** How many pixels the screen is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
}

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** In which window and colours the screen is wider than its window. */
export async function overflows(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const [name, size] of Object.entries({ phone: PHONE, desk: DESK })) {
    await page.setViewportSize(size);
    for (const colorScheme of ['dark', 'light'] as const) {
      await page.emulateMedia({ colorScheme });
      const pixels = await overflow(page);
      if (pixels > 0) found.push(`${pixels} px at a ${name} in ${colorScheme}`);
    }
  }
  return found;
}
