import { expect } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

const AXE = readFileSync(join(import.meta.dir, '../../node_modules/axe-core/axe.min.js'), 'utf8');

/** Not in frames: axe is not in them, and would wait half a second for each to answer. */
const RUN_AXE = `axe.run(document, { resultTypes: ['violations'], iframes: false }).then(({ violations }) => violations)`;

interface Violation {
  id: string;
  impact: string | null;
  nodes: Array<{ target: string[]; failureSummary?: string }>;
}

/** What keeps some people from using the screen, in axe's judgement; only what is serious or critical. */
export async function seriousFindings(page: Page): Promise<string[]> {
  // Evaluated, not added as a script: the screens' own policy lets no other script in.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(AXE);
  const violations = (await page.evaluate(RUN_AXE)) as Violation[];
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary = '' }) => `${id}: ${target.join(' ')}: ${failureSummary}`),
    );
}

/** Nothing keeps people from using the screen, in light and in dark. */
export async function expectReadable(page: Page): Promise<void> {
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme });
    const findings = await seriousFindings(page);
    expect({ url: page.url(), colorScheme, findings }).toEqual({
      url: page.url(),
      colorScheme,
      findings: [],
    });
  }
}

/** Collects what a browser complains about from now on: console errors and warnings, and uncaught errors. */
export function watchComplaints(page: Page): string[] {
  const complaints: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return complaints;
}

/** The same for screens whose status may be an error: that is no complaint. */
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

/** In which window and colors the screen is wider than its window, for none or each of them. */
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
