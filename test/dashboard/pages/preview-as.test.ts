import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  closeTabs,
  type Person,
  type Published,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import { codeField, expectUsable, write } from './publish.ts';

/** Whom the preview shows the page to, and what the page reports from it. */

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('previewer');
});
afterEach(closeTabs);

const shown = (tab: Page) => tab.frameLocator('iframe:not(.coming)');

async function open(page: Published): Promise<Page> {
  const tab = await stage.reuse(owner);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await codeField(tab).waitFor();
  return tab;
}

const ROLE = `<!doctype html><p id="who">…</p><p id="wrote">…</p><script>
(async () => {
  await PageUser.ready;
  const response = await fetch('/api/pages/{{PAGE_ID}}/visitor', { credentials: 'include' });
  const { user, role } = await response.json();
  document.getElementById('who').textContent = (user ? user.username : 'nobody') + ' ' + role;
  const wrote = await fetch('/api/pages/{{PAGE_ID}}/team-data/notes', {
    method: 'POST', credentials: 'include',
    headers: { 'content-type': 'application/json' }, body: JSON.stringify({ data: { n: 1 } }),
  });
  document.getElementById('wrote').textContent = 'wrote ' + wrote.status;
})();
</script>`;

test('shows the page to nobody, to the owner, and to them with a lower role', async () => {
  const page = await stage.publish(owner, ROLE.replaceAll("'/api", `'${stage.baseUrl}/api`), {
    storage_mode: 'team_app',
  });
  const other = await stage.publish(owner, ROLE, { storage_mode: 'team_app' });
  const tab = await open(page);
  const as = tab.getByRole('combobox', { name: 'Show the page to' });
  const sees = async (who: string, wrote: string) => {
    await shown(tab).getByText(who).waitFor();
    await shown(tab).getByText(wrote).waitFor();
  };
  await sees('nobody null', 'wrote 401');
  expect(await tab.getByText('Scripts of this page act as you').count()).toBe(0);
  await as.selectOption('me');
  await sees('previewer owner', 'wrote 201');
  await tab.getByText('Scripts of this page act as you, on this page only').waitFor();
  await expectUsable(tab);
  await as.selectOption('viewer');
  await sees('previewer viewer', 'wrote 403');
  await as.selectOption('visitor');
  await sees('previewer null', 'wrote 403');
  await as.selectOption('member');
  await sees('previewer member', 'wrote 201');

  // Remembered for this page, and for no other.
  await tab.reload();
  await sees('previewer member', 'wrote 201');
  await tab.goto(`${stage.baseUrl}/pages/${other.id}`);
  await codeField(tab).waitFor();
  expect(await as.inputValue()).toBe('nobody');
});

const BROKEN = `<!doctype html>
<title>T</title>
<h1>Broken</h1>
<script>
console.warn('careful', { n: 1 });
missing();
</script>
<script src="js/app.js"></script>
<img alt="" src="gone.png">
<script>
Promise.reject(new Error('nobody caught me'));
fetch('/api/pages/0/visitor');
</script>
`;
const APP = '// A file of the page.\n\nconst x = 1;\nx.run();\n';

test('the console shows what the page says and what fails, and errors lead to their line', async () => {
  const page = await stage.publish(owner, BROKEN.replace("'/api", `'${stage.baseUrl}/api`));
  const form = new FormData();
  form.set('keep', '{}');
  form.append('file', new Blob([APP]), 'js/app.js');
  const sent = await fetch(`${stage.baseUrl}/api/pages/${page.id}/files`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${owner.token}` },
    body: form,
  });
  expect(sent.status).toBe(200);
  const tab = await open(page);
  const strip = tab.getByRole('region', { name: 'Console' });
  await strip.getByText('5 errors').waitFor();
  await strip.getByText('1 warning').waitFor();
  await strip.getByRole('button', { name: /^Console/ }).click();
  const row = (text: string) => strip.getByRole('listitem').filter({ hasText: text });
  await row('careful {"n":1}').getByRole('button', { name: 'index.html:5' }).waitFor();
  await row('gone.png').waitFor();
  await row('status 404').waitFor();
  await expectUsable(tab);
  await row('nobody caught me').getByRole('button', { name: 'index.html:11' }).waitFor();
  await row('missing is not defined').getByRole('button', { name: 'index.html:6' }).click();
  await tab.locator('.cm-activeLine', { hasText: 'missing();' }).waitFor();
  await tab.locator('.cm-lint-marker-error').nth(1).waitFor();
  expect(await tab.locator('.cm-lint-marker-error').count()).toBe(2);
  await row('x.run is not a function').getByRole('button', { name: 'js/app.js:4' }).click();
  await tab.locator('.page-open-file:not([hidden]) .cm-activeLine', { hasText: 'x.run();' }).waitFor();

  await strip.getByRole('button', { name: 'Warnings' }).click();
  expect(await strip.getByRole('listitem').count()).toBe(1);
  await strip.getByRole('button', { name: 'All' }).click();
  await strip.getByRole('button', { name: 'Clear' }).click();
  await strip.getByText('No messages.').waitFor();
  expect(await tab.locator('.cm-lint-marker-error').count()).toBe(0);
});

test('the console says nothing about a page that only its owner may see', async () => {
  const page = await stage.publish(
    owner,
    '<!doctype html><h1>Ours</h1><script>console.warn("it runs")</script>',
    { storage_mode: 'social_app' },
  );
  const body = { access: { mode: 'private' } };
  expect((await stage.call('PATCH', `/api/pages/${page.id}`, { token: owner.token, body })).status).toBe(200);
  const tab = await stage.reuse(owner);
  const asked = tab.waitForResponse((response) => response.url().endsWith(`/api/pages/${page.id}/visitor`));
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  expect((await asked).status()).toBe(403);
  const strip = tab.getByRole('region', { name: 'Console' });
  await strip.getByText('1 warning').waitFor();
  await strip.getByRole('button', { name: /^Console/ }).click();
  await strip.getByRole('listitem').filter({ hasText: 'it runs' }).waitFor();
  expect(await strip.getByRole('listitem').count()).toBe(1);
});

test('a page that logs without end fills neither the console nor the dashboard', async () => {
  const page = await stage.publish(
    owner,
    '<!doctype html><h1>Loud</h1><script>let n = 0; setInterval(() => { for (let i = 0; i < 150; i++) console.log("line " + n++, "x".repeat(3000)) }, 200)</script>',
  );
  const tab = await open(page);
  await shown(tab).getByRole('heading', { name: 'Loud' }).waitFor();
  const strip = tab.getByRole('region', { name: 'Console' });
  await strip.getByRole('button', { name: /^Console/ }).click();
  await waitUntil(async () => (await strip.getByRole('listitem').count()) === 300);
  expect((await strip.locator('.page-console-text').last().textContent())?.length).toBe(2000);
  expect(await tab.locator('iframe:not(.coming)').count()).toBe(1);
  await write(tab, '<!doctype html><h1>Calm</h1>');
  await shown(tab).getByRole('heading', { name: 'Calm' }).waitFor();
  await strip.getByText('No messages.').waitFor();
});
