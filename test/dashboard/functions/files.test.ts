import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { expectReadable, overflow, watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { deploy, findEditor, open, write } from './deploy.ts';

/** Functions in TypeScript and with several files in the dashboard. */

const MAIN = `import { shout } from './lib/shout.ts';
export default {
  async fetch(request: Request): Promise<Response> {
    return Response.json({ data: shout('hello') });
  },
};
`;
const SHOUT = 'export const shout = (text: string): string => text.toUpperCase();\n';
const FILES = { code: MAIN, files: { 'lib/shout.ts': SHOUT } };

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-modules');
});
afterEach(closeTabs);

const call = async (slug: string) => (await stage.call('POST', `/api/functions/${slug}`, { body: {} })).body;
const fetchSources = async (slug: string) => {
  const { body } = await stage.call('GET', `/api/functions/${slug}/code`, { token: owner.token });
  return { code: body.code, files: body.files };
};
const file = (tab: Page, name: string) => tab.getByRole('treeitem', { name });
const unsaved = (tab: Page, name: string) => file(tab, name).filter({ hasText: 'not saved' });
const focused = (place: Locator) => place.and(place.page().locator(':focus')).waitFor();
/** The numbers of the lines that the shown editor marks. */
const marked = (tab: Page): Promise<number[]> =>
  tab.evaluate(`[...document.querySelectorAll('.fn-module:not([hidden]) .cm-line')].flatMap((line, at) =>
    line.querySelector('.cm-lintRange-error, .cm-lintPoint-error') ? at + 1 : [])`);

test('a TypeScript template with two files deploys as it is, and says how to import a package', async () => {
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await open(stage, tab, '/_new');
  await tab.getByLabel('Slug').fill('typed');
  await tab.getByLabel('Start from').selectOption('TypeScript with two files');
  await tab.getByText('import { z } from "npm:zod@4"').waitFor();
  await file(tab, 'lib').click();
  await file(tab, 'greet.ts').click();
  // The name of a type has a color only in TypeScript.
  await findEditor(tab, 'lib/greet.ts')
    .locator('span', { hasText: /^string$/ })
    .first()
    .waitFor();
  await tab.getByRole('button', { name: 'New file' }).click();
  await tab.getByRole('dialog').getByRole('textbox').fill('lib/greet.ts');
  await tab.getByRole('button', { name: 'Create file' }).click();
  await tab.getByText('There is already a file lib/greet.ts.').waitFor();
  await tab.getByRole('button', { name: 'Cancel' }).click();
  await tab.getByRole('button', { name: 'Deploy' }).click();
  await tab.getByRole('heading', { name: 'typed', level: 1 }).waitFor();
  expect(await call('typed')).toEqual({ success: true, data: 'Hello, world' });
  expect(Object.keys((await fetchSources('typed')).files)).toEqual(['lib/greet.ts']);
  expect(complaints).toEqual([]);
});

test('files are added, renamed and deleted with the keyboard, and deployed together', async () => {
  await deploy(stage, owner, 'modules', {
    code: MAIN.replace("import { shout } from './lib/shout.ts';", 'const shout = String;'),
  });
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/modules');
  await findEditor(tab, 'Code').waitFor();
  await tab.getByRole('button', { name: 'New file' }).focus();
  await tab.keyboard.press('Enter');
  await focused(tab.getByRole('dialog').getByLabel('Name'));
  await tab.keyboard.type('lib/loud.ts');
  await tab.keyboard.press('Enter');
  await write(tab, 'lib/loud.ts', SHOUT);
  await unsaved(tab, 'loud.ts').focus();
  await tab.keyboard.press('F2');
  await focused(tab.getByRole('dialog').getByLabel('Path'));
  await tab.keyboard.press('ControlOrMeta+a');
  await tab.keyboard.type('lib/shout.ts');
  await tab.keyboard.press('Enter');
  await focused(file(tab, 'shout.ts'));
  await tab.keyboard.press('End');
  await tab.keyboard.press('Enter');
  await write(tab, 'Code', MAIN);
  await tab.keyboard.press('ControlOrMeta+s');
  await tab.getByText('Deployed version 2.').waitFor();
  expect([await call('modules'), await fetchSources('modules')]).toEqual([{ data: 'HELLO' }, FILES]);
  expect(await tab.getByText('not saved').count()).toBe(0);

  await file(tab, 'shout.ts').focus();
  await tab.keyboard.press('Delete');
  await tab.getByText('The version that is live keeps it until you deploy.').waitFor();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await tab.getByText('Not deployed yet').waitFor();
  await tab.getByRole('button', { name: 'Deploy' }).click();
  expect(await tab.getByRole('alert').textContent()).toContain('lib/shout.ts');
  expect(await call('modules')).toEqual({ data: 'HELLO' });
});

test('an error opens its file and marks its line', async () => {
  await deploy(stage, owner, 'faulty', FILES);
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/faulty');
  await file(tab, 'lib').click();
  await file(tab, 'shout.ts').click();
  await write(tab, 'lib/shout.ts', `${SHOUT}\nexport const = 1;\n`);
  await file(tab, 'function.ts').click();
  await tab.getByRole('button', { name: 'Deploy' }).click();
  expect(await tab.getByRole('alert').textContent()).toContain('lib/shout.ts, line 3');
  await focused(findEditor(tab, 'lib/shout.ts'));
  expect([await marked(tab), await file(tab, 'shout.ts').getAttribute('aria-selected')]).toEqual([
    [3],
    'true',
  ]);
  expect(await call('faulty')).toEqual({ data: 'HELLO' });

  await tab.getByRole('button', { name: 'Discard changes' }).click();
  await tab.getByRole('button', { name: 'Discard', exact: true }).click();
  expect(await marked(tab)).toEqual([]);
  expect(await findEditor(tab, 'lib/shout.ts').textContent()).toBe(SHOUT.trim());
  expect(await tab.getByText('Not deployed yet').count()).toBe(0);
});

test('a draft keeps all files, and a deploy from elsewhere is shown before it is replaced', async () => {
  await deploy(stage, owner, 'drafted', { ...FILES, files: { ...FILES.files, 'unused.ts': '' } });
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/drafted');
  await file(tab, 'lib').click();
  await file(tab, 'shout.ts').click();
  await write(tab, 'lib/shout.ts', SHOUT.replace('Upper', 'Lower'));
  await file(tab, 'unused.ts').focus();
  await tab.getByRole('button', { name: 'Delete unused.ts' }).click();
  await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  const body = { files: { ...FILES.files, 'theirs.ts': '' } };
  await stage.call('PATCH', '/api/functions/drafted', { token: owner.token, body });
  tab.once('dialog', (dialog) => dialog.accept());
  await tab.reload();
  await tab.getByText('based on version 1, but version 2').waitFor();
  expect(await tab.getByRole('treeitem').allTextContents()).toEqual(['lib', 'function.ts']);
  await file(tab, 'lib').click();
  await unsaved(tab, 'shout.ts').click();
  expect(await findEditor(tab, 'lib/shout.ts').textContent()).toContain('Lower');
  await tab.getByRole('button', { name: 'Deploy' }).click();
  await tab.getByText('Deployed version 3.').waitFor();
  expect(await call('drafted')).toEqual({ data: 'hello' });
  expect(Object.keys((await fetchSources('drafted')).files)).toEqual(['lib/shout.ts']);
});

test('a version shows the files that it changed, and brings them back', async () => {
  await deploy(stage, owner, 'restored', FILES);
  const body = {
    code: MAIN.replace("import { shout } from './lib/shout.ts';", 'const shout = String;'),
    files: {},
  };
  await stage.call('PATCH', '/api/functions/restored', { token: owner.token, body });
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/restored/versions');
  await tab.getByText('Version 2 changed 2 files').waitFor();
  await tab.getByRole('button', { name: 'Removed lib/shout.ts' }).click();
  await tab.getByText('Version 2 changed +0 −1 line').waitFor();
  await expectReadable(tab);
  await tab.getByRole('navigation', { name: 'Versions' }).getByRole('link', { name: 'Version 1' }).click();
  await tab.getByRole('button', { name: 'Restore this version' }).click();
  await tab.getByRole('button', { name: 'Restore version 1' }).click();
  await tab.getByText('Version 1 is back, as version 3.').waitFor();
  expect([await call('restored'), await fetchSources('restored')]).toEqual([{ data: 'HELLO' }, FILES]);
});

test('the files are accessible in light and dark mode, and fit a phone', async () => {
  const long = `lib/${'a-long-name-'.repeat(10)}.ts`;
  await deploy(stage, owner, 'looked-at', { ...FILES, files: { ...FILES.files, [long]: '' } });
  const tab = await stage.reuse(owner);
  for (const path of ['/looked-at', '/_new/typescript']) {
    await open(stage, tab, path);
    await file(tab, 'lib').click();
    await tab.getByRole('treeitem').nth(1).click();
    await tab.getByRole('button', { name: /^Rename/ }).waitFor();
    await expectReadable(tab);
    await tab.setViewportSize({ width: 390, height: 844 });
    expect(await overflow(tab)).toBe(0);
    await tab.setViewportSize({ width: 1280, height: 800 });
  }
});

test('a deploy says what may fail in calls, until the next one', async () => {
  await deploy(stage, owner, 'warned', FILES);
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/warned');
  await write(tab, 'Code', "export default {\n  fetch: () => new Response(eval('1')),\n};\n");
  await tab.keyboard.press('ControlOrMeta+s');
  const notice = tab.getByRole('status').filter({ hasText: 'eval works only while the module loads' });
  await notice.getByText('Line 2').waitFor();
  await expectReadable(tab);
  await write(tab, 'Code', "export default {\n  fetch: () => new Response('1'),\n};\n");
  await tab.keyboard.press('ControlOrMeta+s');
  await tab.getByText('Deployed version 3.').waitFor();
  expect(await notice.count()).toBe(0);
});
