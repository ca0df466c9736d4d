import { expect } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import type { Person, Stage } from '../../support/browser/stage.ts';

/** What the tests of the function screens share. */

export const HELLO = `export default {
  async fetch(request) {
    const { name = 'world' } = await request.json().catch(() => ({}));
    console.log('greeting', name);
    return Response.json({ success: true, data: 'Hello, ' + name });
  },
};
`;

export async function deploy(
  stage: Stage,
  owner: Person,
  slug: string,
  fields: Record<string, unknown> = {},
): Promise<void> {
  const body = { slug, code: HELLO, ...fields };
  const answer = await stage.call('POST', '/api/functions', { token: owner.token, body });
  expect([answer.status, slug]).toEqual([201, slug]);
}

/** Opens a screen and waits for its heading. */
export async function open(stage: Stage, tab: Page, path: string): Promise<void> {
  await tab.goto(`${stage.baseUrl}/functions${path}`);
  await tab.getByRole('heading', { level: 1 }).waitFor();
}

export const findEditor = (tab: Page, name: string): Locator =>
  tab.getByRole('textbox', { name, exact: true });

/** Replaces the content of an editor with the keyboard. */
export async function write(tab: Page, name: string, text: string): Promise<void> {
  await findEditor(tab, name).click();
  await tab.keyboard.press('ControlOrMeta+a');
  // Empties it first: browsers style text typed over colored text inline, which our policy forbids.
  await tab.keyboard.press('Delete');
  await tab.keyboard.insertText(text);
}

/** The number of the line that an editor marks with an error, or 0. */
export function markedLine(tab: Page): Promise<number> {
  return tab.evaluate(
    `[...document.querySelectorAll('[aria-label="Code"] .cm-line, .cm-content[aria-label="Code"] .cm-line')]
      .findIndex((line) => line.querySelector('.cm-lintRange-error, .cm-lintPoint-error')) + 1`,
  );
}

export async function sql(stage: Stage, owner: Person, slug: string, statement: string) {
  const answer = await stage.call('POST', `/api/functions/${slug}/database`, {
    token: owner.token,
    body: { sql: statement },
  });
  expect([answer.status, answer.body]).toEqual([200, answer.body]);
  return answer.body.results as Array<Record<string, unknown>>;
}
