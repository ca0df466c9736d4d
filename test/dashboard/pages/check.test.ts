import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, openStage, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { codeField, expectUsable, write } from './publish.ts';

/** The check of a page in the editor. */

const BROKEN = `<!doctype html>
<html lang="en">
<title>Poll</title>
<main><h1>Lunch</h1></main>
<script>
console.warn('no votes');
vote();
</script>
`;

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('inspector');
});
afterEach(closeTabs);

const checkButton = (tab: Page) => tab.getByRole('button', { name: 'Check', exact: true });

test('shows the page, its errors and their lines, and checks it again when it is saved', async () => {
  const page = await stage.publish(owner, BROKEN);
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  const ran = tab.waitForEvent('pageerror');
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await codeField(tab).waitFor();
  // The check takes the place of the preview, which may not have run the page yet.
  await ran;
  await checkButton(tab).click();
  const pane = tab.getByRole('region', { name: 'Check' });
  await pane.getByText('ReferenceError: vote is not defined').waitFor();
  await pane.getByText('no votes').waitFor();
  await pane.getByRole('img', { name: 'Screenshot of the page' }).waitFor();
  const picture = 'document.querySelector(".page-check-picture img")';
  expect(await tab.evaluate(`${picture}.decode().then(() => ${picture}.naturalWidth)`)).toBe(1280);
  await expectUsable(tab);

  await pane.getByRole('button', { name: 'line 7' }).click();
  await tab.locator('.cm-activeLine', { hasText: 'vote();' }).waitFor();
  await write(tab, BROKEN.replace('vote();\n', '').replace("console.warn('no votes');\n", ''));
  await pane.getByText('Your unsaved changes are not checked.').waitFor();
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await pane.getByText('No errors, no failed requests, and no accessibility findings.').waitFor();

  await pane.getByRole('button', { name: 'Phone' }).click();
  await pane.locator('figure.phone').waitFor();
  await pane.getByRole('textbox', { name: 'Page of the site' }).fill('missing.html');
  await pane.getByRole('button', { name: 'A visitor' }).click();
  await pane.getByText(/\/missing\.html$/).waitFor();
  await pane.getByRole('button', { name: 'Close' }).click();
  await tab.getByRole('region', { name: 'Preview' }).waitFor();
  // Only what the page itself says in its preview.
  expect(complaints).toEqual(['no votes', 'vote is not defined']);
}, 120_000);

test('a screenshot becomes the preview image', async () => {
  const page = await stage.publish(owner, BROKEN);
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}/settings`);
  await tab.getByText('No image yet').waitFor();
  await tab.getByRole('button', { name: 'Use a screenshot' }).click();
  await tab.getByText('Links to the page now show this picture.').waitFor();
  await tab.getByText('Current image').waitFor();
}, 120_000);

test('says how to install the browser if the server has none', async () => {
  const bare = await openStage('origin', { QUIRE_CHROMIUM: 'off' });
  try {
    const person = await bare.register('inspector');
    const page = await bare.publish(person, BROKEN);
    const tab = await bare.enter(person);
    await tab.goto(`${bare.baseUrl}/pages/${page.id}`);
    await checkButton(tab).click();
    await tab.getByRole('heading', { name: 'Checks are not available' }).waitFor();
    await tab.getByText('QUIRE_CHROMIUM=off').waitFor();
    await expectUsable(tab);
  } finally {
    await bare.close();
  }
}, 120_000);
