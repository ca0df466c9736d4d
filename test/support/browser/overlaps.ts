import { expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { lookForOverlaps } from './look-for-overlaps.ts';

const WIDTHS = Array.from({ length: 65 }, (_, index) => 320 + index * 20);
/** The widths at which screens are scrolled to their end: a phone, a large phone, a tablet and a laptop. */
const WHOLE_AT = [320, 460, 740, 1100];

/**
 * Checks that nothing on the screen covers something else, sticks out of the window, or breaks out of a bar of one line,
 * from small phones to large windows.
 */
export async function expectNoOverlaps(
  tab: Page,
  /** What is there as soon as the screen is. */
  first: Locator = tab.getByRole('heading', { level: 1 }),
): Promise<void> {
  await first.waitFor();
  await tab.locator('.skeleton, .skeleton-block').first().waitFor({ state: 'detached' });
  const findings: Record<string, number[]> = {};
  for (const width of WIDTHS) {
    if (Object.keys(findings).length > 5) break;
    await tab.setViewportSize({ width, height: 800 });
    for (const finding of await lookUntilSettled(tab, WHOLE_AT.includes(width)))
      findings[finding] = [...(findings[finding] ?? []), width];
  }
  const url = tab.url();
  expect({ url, findings }).toEqual({ url, findings: {} });
}

/** What observes its own size adapts within a few frames. What it covers after a second, it covers. */
async function lookUntilSettled(tab: Page, isWhole: boolean): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const findings = (await tab.evaluate(lookForOverlaps(isWhole))) as string[];
    if (findings.length === 0 || tries === 10) return findings;
    await tab.waitForTimeout(100);
  }
}
