import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startToolVendor, type ToolVendor } from '../support/agents/tool-vendor.ts';
import { watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, openStage, type Person, type Stage, sharedStage } from '../support/browser/stage.ts';
import { codeField, expectUsable, write } from './pages/publish.ts';

/** The box, the builder, and the chat beside the editor. */

const html = (title: string, script = '') =>
  `<!doctype html>\n<html lang="en">\n<title>${title}</title>\n<h1>${title}</h1>\n${script}</html>\n`;
const save = (html_content: string) => ({ name: 'update_draft', input: { html_content } });

let vendor: ToolVendor;
let stage: Stage;
let writer: Person;
beforeAll(async () => {
  vendor = await startToolVendor();
  stage = await openStage('origin', {
    QUIRE_AI_PROVIDER: 'openai-compatible',
    QUIRE_AI_URL: vendor.url,
    QUIRE_AI_MODEL: 'model',
    QUIRE_CREDITS_NEW_USER: '200',
  });
  writer = await stage.register('describer');
});
afterEach(closeTabs);
afterAll(async () => {
  await stage.close();
  await vendor.stop();
});

const fetchPages = async (person: Person) =>
  (await stage.call('GET', '/api/pages', { token: person.token })).body.pages;

async function describe(tab: Page, prompt: string): Promise<void> {
  await tab.goto(`${stage.baseUrl}/pages/build`);
  await tab.getByRole('textbox', { name: 'What do you want to make?' }).fill(prompt);
  await tab.keyboard.press('ControlOrMeta+Enter');
}

test('a described page is built as a draft, changed once more, and published', async () => {
  const tab = await stage.enter(writer);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/build`);
  const box = tab.getByRole('textbox', { name: 'What do you want to make?' });
  await tab.getByRole('button', { name: 'A quiz for my class' }).click();
  expect(await box.inputValue()).toBe('A quiz for my class');
  await tab.getByText('of your 200 credits').waitFor();
  await expectUsable(tab);

  vendor.play([
    {
      text: 'I make a page for your bakery.',
      calls: [
        { name: 'update_page', input: { name: 'Bakery', slug: 'bakery' } },
        save(html('Bakery', '<script>missing.call()</script>')),
      ],
    },
    { text: 'It is done.' },
    { calls: [save(html('Bakery'))] },
    { text: 'A page with everything you asked for.' },
  ]);
  await tab.getByRole('button', { name: 'Build page' }).click();
  const progress = tab.getByRole('region', { name: 'Progress' });
  await progress.getByText('Writes the page').first().waitFor();
  await tab.getByRole('heading', { name: 'Your page is ready to look at' }).waitFor();
  await progress.getByText('A page with everything you asked for.').first().waitFor();
  await tab.getByRole('img', { name: 'Screenshot of the draft' }).waitFor();
  await tab.getByText('The browser reported no error.').waitFor();
  await expectUsable(tab);
  expect(await fetchPages(writer)).toMatchObject([{ name: 'Bakery', is_published: false }]);

  vendor.play([{ calls: [save(html('Bread and cake'))] }, { text: 'Renamed.' }]);
  await tab.getByRole('textbox', { name: 'What should change?' }).fill('Call it Bread and cake');
  await tab.keyboard.press('Enter');
  await progress.getByText('Renamed.').first().waitFor();
  await tab.getByRole('button', { name: 'Code' }).click();
  await tab.getByText('<h1>Bread and cake</h1>').waitFor();
  await tab.getByRole('button', { name: 'Publish page' }).click();
  await tab.getByText('Your page is live').waitFor();
  const [page] = await fetchPages(writer);
  expect(page).toMatchObject({ slug: 'bakery', is_published: true });
  const { body } = await stage.call('GET', `/api/pages/${page.id}`, { token: writer.token });
  expect(body.page.html_content).toBe(html('Bread and cake'));
  expect(complaints).toEqual([]);
});

test('a run can be stopped, and its page discarded', async () => {
  const tab = await stage.enter(writer);
  const before = (await fetchPages(writer)).length;
  vendor.play((turn) =>
    turn === 0 ? { calls: [save(html('Half'))] } : { text: 'I think about it', ends: 'silence' },
  );
  await describe(tab, 'A page about everything');
  await tab.getByText('I think about').first().waitFor();
  await tab.getByRole('button', { name: 'Stop' }).click();
  await tab.getByText('Stopped. What the builder wrote is kept as a draft.').waitFor();
  await tab.getByRole('button', { name: 'Discard' }).click();
  await tab.getByRole('button', { name: 'Discard page' }).click();
  await tab.getByText('Discarded.').waitFor();
  expect(await fetchPages(writer)).toHaveLength(before);
});

test('a provider that fails says so, and the description can be tried again', async () => {
  const tab = await stage.enter(writer);
  vendor.play([{ status: 500 }, { calls: [save(html('Second try'))] }, { text: 'Made.' }]);
  await describe(tab, 'A page about luck');
  await tab.getByText('The provider could not answer.').waitFor();
  await expectUsable(tab);
  await tab.getByRole('button', { name: 'Try again' }).click();
  await tab.getByRole('heading', { name: 'Your page is ready to look at' }).waitFor();
  await tab.getByRole('button', { name: 'Keep as draft' }).click();
  await tab.getByText('Only you can see the page').waitFor();
});

test('the chat beside the editor takes unsaved texts along and proposes changes to accept', async () => {
  const page = await stage.publish(writer, html('Old'), { name: 'Chatty' });
  const tab = await stage.enter(writer);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await codeField(tab).waitFor();
  await write(tab, html('Typed'));
  await tab.getByRole('button', { name: 'Builder', exact: true }).click();
  const chat = tab.getByRole('complementary', { name: 'Builder' });
  await chat.getByText('Say what should change.').waitFor();
  await expectUsable(tab);

  const change = { name: 'replace_in_draft', input: { find: '<h1>Typed</h1>', replace: '<h1>Built</h1>' } };
  const file = {
    name: 'write_draft_file',
    input: { path: 'css/style.css', content: 'h1 { color: teal }\n' },
  };
  vendor.play([{ calls: [change, file] }, { text: 'I changed the heading.' }]);
  await chat.getByRole('textbox', { name: 'What should change?' }).fill('Change the heading');
  await chat.getByRole('button', { name: 'Send' }).click();
  await chat.getByText('I changed the heading.').first().waitFor();
  await chat.getByText('It also changes css/style.css.').waitFor();
  await chat.getByRole('button', { name: 'Show changes' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Proposed changes' });
  await dialog.getByText('The builder changed').waitFor();
  await expectUsable(tab);
  await dialog.getByRole('button', { name: 'Accept' }).click();
  await tab.getByText('The changes are in the editor.').waitFor();
  await codeField(tab).getByText('<h1>Built</h1>').waitFor();

  // Undo brings the typed text back.
  await codeField(tab).click();
  await tab.keyboard.press('ControlOrMeta+z');
  await codeField(tab).getByText('<h1>Typed</h1>').waitFor();
  await tab.keyboard.press('ControlOrMeta+y');
  await codeField(tab).getByText('<h1>Built</h1>').waitFor();

  const { body } = await stage.call('GET', `/api/pages/${page.id}`, { token: writer.token });
  expect(body.page.html_content).toBe(html('Old'));
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByText('Published as version 2.').waitFor();
  const saved = await stage.call('GET', `/api/pages/${page.id}/files/css/style.css`, { token: writer.token });
  expect(saved.status).toBe(200);
  const { body: drafts } = await stage.call('GET', `/api/pages/${page.id}/drafts`, { token: writer.token });
  expect(drafts.drafts).toEqual([]);
  expect(complaints).toEqual([]);
});

test('without a model the box leads to the nearest template, and never says that something is missing', async () => {
  const demo = await sharedStage('origin');
  const person = await demo.register('describer-demo');
  const tab = await demo.enter(person);
  const complaints = watchComplaints(tab);
  await tab.goto(`${demo.baseUrl}/pages/new`);
  await tab.getByText('You try it first').waitFor();
  expect(await tab.getByText('model').count()).toBe(0);
  await expectUsable(tab);
  await tab.goto(demo.baseUrl);
  await tab.getByRole('textbox', { name: 'What do you want to make?' }).fill('A party for Grandma');
  await tab.keyboard.press('Enter');
  await tab.frameLocator('iframe').getByRole('heading', { name: 'Grandma’s party' }).waitFor();
  await tab.getByRole('button', { name: 'Publish' }).click();
  await tab.waitForURL(/\/pages\/\d+\/share$/);
  expect(complaints).toEqual([]);
});
