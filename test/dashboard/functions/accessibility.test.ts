import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectReadable, overflow, watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import { deploy, findEditor, open, sql } from './deploy.ts';

/** Every function screen is accessible in light and dark mode, on a desktop and on a phone. */

const LONG = 'a-name-without-an-end-'.repeat(4);
const CODE = `export default { async fetch(request) {
  console.log('${LONG.repeat(5)}');
  if ((await request.text()) === '"fail"') throw new Error('failed');
  return new Response('ok');
} }`;

let stage: Stage;
let owner: Person;
let newcomer: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-look');
  newcomer = await stage.register('nina-look');
  await deploy(stage, owner, 'full', {
    code: CODE,
    displayName: LONG.repeat(2),
    description: LONG.repeat(8),
    enableDatabase: true,
    isPublic: false,
  });
  const token = owner.token;
  await stage.call('PATCH', '/api/functions/full', { token, body: { code: `// ${LONG}\n${CODE}` } });
  for (const body of ['fine', 'fail']) await stage.call('POST', '/api/functions/full', { token, body });
  await stage.call('PUT', `/api/functions/full/secrets/${'A'.repeat(100)}`, { token, body: { value: 'x' } });
  await sql(stage, owner, 'full', `CREATE TABLE "${LONG}" (id INTEGER PRIMARY KEY, "${LONG}" TEXT)`);
  await sql(stage, owner, 'full', `INSERT INTO "${LONG}" VALUES (1, '${LONG.repeat(9)}')`);
});
afterEach(closeTabs);

const screens: Array<[name: string, path: string, ready: (tab: Page) => Promise<unknown>]> = [
  [
    'the list, with the errors of the last day',
    '',
    async (tab) => {
      await tab.getByText('1 function').waitFor();
      // Calls are counted a moment later.
      await waitUntil(async () => {
        const { body } = await stage.call('GET', '/api/home', { token: owner.token });
        return body.failingFunctions.length > 0;
      });
      await tab.reload();
      await tab.getByRole('link', { name: /^1 of \d calls failed in the last day$/ }).waitFor();
    },
  ],
  ['a new function', '/_new', (tab) => findEditor(tab, 'Code').waitFor()],
  [
    'the code and a response',
    '/full',
    async (tab) => {
      await findEditor(tab, 'Code').waitFor();
      await findEditor(tab, 'Request body').waitFor();
      await tab.getByRole('button', { name: 'Call' }).click();
      await tab.getByRole('status', { name: 'Response' }).getByText('ok', { exact: true }).waitFor();
    },
  ],
  [
    'a version and its restore',
    '/full/versions/1',
    async (tab) => {
      await tab.getByLabel('Compare with').selectOption('Compare with current version');
      await tab.getByText('Restoring version 1 would change').waitFor();
      await tab.getByRole('button', { name: 'Restore this version' }).click();
      await tab.getByRole('dialog').waitFor();
    },
  ],
  ['the log', '/full/logs', (tab) => tab.getByRole('log').getByText('Error: failed').waitFor()],
  ['rows', '/full/database', (tab) => tab.getByText('1 to 1 of 1').waitFor()],
  [
    'a row',
    '/full/database',
    async (tab) => {
      await tab.setViewportSize({ width: 390, height: 500 });
      await tab.getByRole('button', { name: /^Open / }).click();
      // The buttons of a long form are visible before it is scrolled.
      const box = await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).boundingBox();
      expect((box?.y ?? 500) + (box?.height ?? 0)).toBeLessThan(500);
    },
  ],
  [
    'the structure of a table',
    '/full/database',
    async (tab) => {
      await tab.getByRole('button', { name: 'Structure' }).click();
      await tab.getByRole('region', { name: 'Columns of' }).waitFor();
    },
  ],
  [
    'SQL',
    '/full/database/sql',
    async (tab) => {
      await findEditor(tab, 'SQL').waitFor();
      await tab.getByRole('button', { name: 'Run' }).click();
      await tab.getByRole('status', { name: 'Result' }).waitFor();
    },
  ],
  ['export and import', '/full/database/transfer', (tab) => tab.getByLabel('Script').waitFor()],
  ['secrets', '/full/secrets', (tab) => tab.getByRole('button', { name: /^Replace A/ }).waitFor()],
  ['statistics', '/full/statistics', (tab) => tab.getByText('Error rate').waitFor()],
  ['settings', '/full/settings', (tab) => tab.getByText('Only this function uses the database').waitFor()],
  [
    'a deletion',
    '/full/settings',
    async (tab) => {
      await tab.getByRole('button', { name: 'Delete this function' }).click();
      await tab.getByText('is deleted too').waitFor();
      // Not in the colour of buttons that create something.
      await tab.locator('.button.danger', { hasText: 'Delete permanently' }).waitFor();
    },
  ],
];

async function inspect(tab: Page): Promise<void> {
  await expectReadable(tab);
  await tab.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(tab)).toBe(0);
}

test.each(screens)('%s', async (_, path, ready) => {
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await open(stage, tab, path);
  await ready(tab);
  await inspect(tab);
  expect(complaints).toEqual([]);
});

test('an empty list', async () => {
  const tab = await stage.reuse(newcomer);
  const complaints = watchComplaints(tab);
  await open(stage, tab, '');
  await tab.getByText('No functions yet').waitFor();
  await inspect(tab);
  expect(complaints).toEqual([]);
});
