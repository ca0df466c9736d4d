import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadableIn, overflow } from '../../support/browser/accessibility.ts';

/** What the tests of the page screens share. */

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Checks that the screen is accessible in light and dark mode, on a desktop and on a phone. */
export async function expectUsable(tab: Page): Promise<void> {
  for (const [colorScheme, sizes] of [['dark', [DESK, PHONE]] as const, ['light', [PHONE, DESK]] as const]) {
    await tab.emulateMedia({ colorScheme });
    for (const size of sizes) {
      await tab.setViewportSize(size);
      await expectReadableIn(tab, colorScheme);
      expect({ size, overflow: await overflow(tab) }).toEqual({ size, overflow: 0 });
    }
  }
}

/** Makes the window so wide that no tab is in the menu, whatever fonts the machine has. */
export const showAllTabs = (tab: Page) => tab.setViewportSize({ width: 2400, height: 800 });

/** The editor of the page's HTML. */
export const codeField = (tab: Page) => tab.getByRole('textbox', { name: 'Page HTML' });

/** Replaces the text of the editor. */
export async function write(tab: Page, html: string): Promise<void> {
  await codeField(tab).click();
  await tab.keyboard.press('ControlOrMeta+a');
  await tab.keyboard.press('Delete');
  // All at once, like a paste: if it were typed, the editor would close brackets by itself.
  await tab.keyboard.insertText(html);
}
