import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflow } from '../support/accessibility.ts';

/** What the tests of the dashboard's pages have in common. */

const DESK = { width: 1280, height: 800 };
const PHONE = { width: 390, height: 844 };

/** Everybody can use the screen as it stands: in light and dark, at a desk and on a phone. */
export async function expectUsable(tab: Page): Promise<void> {
  for (const size of [PHONE, DESK]) {
    await tab.setViewportSize(size);
    await expectReadable(tab);
    expect({ size, overflow: await overflow(tab) }).toEqual({ size, overflow: 0 });
  }
}

/** The field in which the page's code is written. */
export const codeField = (tab: Page) => tab.getByRole('textbox', { name: 'Page HTML' });

/** Puts a text in place of what the editor holds. */
export async function write(tab: Page, html: string): Promise<void> {
  await codeField(tab).click();
  await tab.keyboard.press('ControlOrMeta+a');
  await tab.keyboard.press('Delete');
  // In one go, as a paste: typed letter by letter, the editor would close brackets by itself.
  await tab.keyboard.insertText(html);
}
