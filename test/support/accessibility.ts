import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const AXE = readFileSync(join(import.meta.dir, '../../node_modules/axe-core/axe.min.js'), 'utf8');

/** Skips frames: axe is not loaded in them, and would wait half a second for each. */
const OPTIONS = { resultTypes: ['violations'], iframes: false };
/** The rule `region` takes a third of the time, and its findings are only moderate. */
const ALL_RULES = { ...OPTIONS, rules: { region: { enabled: false } } };
const COLOR_RULES = { ...OPTIONS, runOnly: ['color-contrast', 'link-in-text-block'] };

interface Violation {
  id: string;
  impact: string | null;
  nodes: Array<{ target: string[]; failureSummary?: string }>;
}

/** What axe considers a serious or critical problem on the screen. */
export async function seriousFindings(page: Page, options: object = ALL_RULES): Promise<string[]> {
  // Evaluated instead of added as a script, because the policy of the screens allows no other script.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
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
  for (const [colorScheme, options] of [['dark', COLOR_RULES] as const, ['light', ALL_RULES] as const]) {
    await page.emulateMedia({ colorScheme });
    const findings = await seriousFindings(page, options);
    expect({ url: page.url(), colorScheme, findings }).toEqual({
      url: page.url(),
      colorScheme,
      findings: [],
    });
  }
}

/** Collects what the browser reports from now on: console errors and warnings, and uncaught errors. */
export function watchComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

/** The same for screens with an error status, which is expected. */
export function complaintsOf(page: Page): string[] {
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
