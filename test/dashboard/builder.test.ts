import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { startToolVendor, type ToolVendor } from '../support/agents/tool-vendor.ts';
import { watchComplaints } from '../support/browser/accessibility.ts';
import { closeTabs, openStage, type Person, type Stage, sharedStage } from '../support/browser/stage.ts';
import { codeField, expectUsable, write } from './pages/publish.ts';

/** The box, the builder, and the chat beside the editor. */

const html = (title: string, script = '') =>
  `<!doctype html>\n<html lang="en">\n<title>${title}</title>\n<h1>${title}</h1>\n${script}</html>\n`;
const save = (html_content: string) => ({ name: 'save_draft', input: { html_content } });

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
  await tab.goto(`${stage.baseUrl}/pages/new`);
  // With a model, and not with a template.
  await tab.getByText('credits. You publish it').waitFor();
  await tab.getByRole('textbox', { name: 'What do you want to make?' }).fill(prompt);
  await tab.keyboard.press('ControlOrMeta+Enter');
}

/** Waits at a part of a response until it is opened. */
function gate(at: number) {
  const { promise, resolve } = Promise.withResolvers<void>();
  return { open: resolve, pace: (part: number) => (part < at ? undefined : promise) };
}

const growing = (tab: Page) => tab.frameLocator('iframe.growing');
const preview = (tab: Page) => tab.frameLocator('.builder-paper iframe:not(.growing, .coming)');
const timeline = (tab: Page) => tab.getByRole('list', { name: 'Progress' });

test('a page appears while it is written, also after a reload and on another device, and is published', async () => {
  const tab = await stage.enter(writer);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/build`);
  await tab.waitForURL(/\/pages\/new$/);
  const box = tab.getByRole('textbox', { name: 'What do you want to make?' });
  await tab.getByRole('button', { name: 'A quiz for my class' }).click();
  expect(await box.inputValue()).toBe('A quiz for my class');
  await tab.getByText('of your 200 credits').waitFor();
  await expectUsable(tab);

  const lines = Array.from({ length: 80 }, (_, index) => `<p>Bread number ${index}</p>`).join('\n');
  const hostile = `<script>document.title = 'ran'; parent.postMessage('hostile', '*'); try { top.document.title = 'taken' } catch {}</script>`;
  const document = html('Bread &amp; cake', `${hostile}${lines}<script>missing.call()</script>`);
  const { open, pace } = gate(0.6);
  vendor.play([
    { text: 'I make a page for your bakery.', calls: [save(document)], pace },
    { text: 'It is done.' },
    {
      calls: [{ name: 'edit_file', input: { find: '<script>missing.call()</script>', replace: '' } }],
    },
    { text: 'A page with everything you asked for.' },
  ]);
  await describe(tab, 'A page for my bakery');
  await growing(tab).getByText('Bread number 20', { exact: true }).waitFor();
  await timeline(tab).getByText('Writing the page').waitFor();
  expect(await growing(tab).getByText('Bread number 79').count()).toBe(0);
  await expectUsable(tab);
  // Nothing of it has run, and it has no origin from which it could reach the dashboard.
  const [frame] = tab.frames().filter((each) => each.url().endsWith('/preview/growing'));
  expect(await frame?.evaluate('[document.title, origin]')).toEqual(['Bread & cake', 'null']);
  expect(await tab.title()).not.toContain('taken');

  await tab.reload();
  await growing(tab).getByText('Bread number 20', { exact: true }).waitFor();
  await tab.getByText('I make a page for your bakery.').waitFor();
  const other = await stage.enter(writer);
  await other.setViewportSize({ width: 390, height: 844 });
  await other.goto(`${stage.baseUrl}/pages/new`);
  await other.getByRole('list', { name: 'Being built' }).getByRole('link').click();
  await growing(other).getByText('Bread number 20', { exact: true }).waitFor();
  await expectUsable(other);

  open();
  await timeline(tab).getByText('Trying it in a browser').first().waitFor();
  await timeline(tab).getByText('Trying it in a browser: 1 error').waitFor();
  await timeline(tab).getByText('A script stopped: ReferenceError: missing is not defined').waitFor();
  await timeline(tab).getByText('Trying it in a browser: 0 errors').waitFor();
  await preview(tab).getByText('Bread number 79').waitFor();
  await tab.getByText('This took').waitFor();
  await expectUsable(tab);
  await preview(other).getByText('Bread number 79').waitFor();

  // It is continued on the other device, and this one shows it.
  vendor.play([{ calls: [{ name: 'edit_file', input: { find: '<h1>Bread', replace: '<h1>Fresh bread' } }] }]);
  await other.getByRole('textbox', { name: 'What should change?' }).fill('Say that it is fresh');
  await other.keyboard.press('Enter');
  await preview(tab).getByRole('heading', { name: 'Fresh bread' }).waitFor();
  await tab.getByText('Say that it is fresh').waitFor();
  await tab.getByRole('button', { name: 'Phone' }).click();
  await preview(tab).getByRole('heading', { name: 'Fresh bread' }).waitFor();

  // The editor goes on with what the builder has written, also in a browser that has not seen it.
  const editor = await stage.enter(writer);
  await editor.goto(tab.url().replace('/build', ''));
  await editor.getByText('Draft saved', { exact: true }).waitFor();
  await codeField(editor).getByText('Fresh bread').waitFor();

  // The name and the address come from the title, and can be changed.
  await tab.getByRole('button', { name: '/p/bread-cake' }).click();
  const dialog = tab.getByRole('dialog', { name: 'Name and address' });
  await dialog.getByRole('textbox', { name: 'Address' }).fill('fresh-bread');
  await expectUsable(tab);
  await dialog.getByRole('button', { name: 'Save' }).click();
  await tab.getByRole('button', { name: '/p/fresh-bread' }).waitFor();
  await tab.getByRole('button', { name: 'Publish', exact: true }).click();
  await tab.waitForURL(/\/pages\/\d+\/(share|live)/);
  const address = await tab.getByLabel('The address of the page').inputValue();
  expect((await fetch(`http://${address}`)).status).toBe(200);
  const [page] = await fetchPages(writer);
  expect(page).toMatchObject({ name: 'Bread & cake', slug: 'fresh-bread', is_published: true });
  // The same message as in the check of the draft: the script that failed ran in the preview, too.
  expect(complaints.filter((each) => !each.includes('missing is not defined'))).toEqual([]);
}, 240_000);

test('a run can be stopped, and its page discarded', async () => {
  const tab = await stage.enter(writer);
  const before = (await fetchPages(writer)).length;
  const slug = 'describer-half';
  const code = 'export default { fetch: () => new Response() }';
  const started = { name: 'deploy_function', input: { slug, code } };
  vendor.play((turn) =>
    turn === 0 ? { calls: [started, save(html('Half'))] } : { text: 'I think about it', ends: 'silence' },
  );
  // What is sent before the service has said that there is a model waits for that.
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await tab.route('**/api/builder', async (route) => {
    await answered;
    await route.continue();
  });
  await tab.goto(`${stage.baseUrl}/pages/new`);
  await tab.getByRole('textbox', { name: 'What do you want to make?' }).fill('A page about everything');
  await tab.keyboard.press('Enter');
  await tab.locator('.wish-line [aria-busy=true]').waitFor();
  expect(tab.url()).toEndWith('/pages/new');
  answer();
  await tab.getByText('I think about').first().waitFor();
  await tab.getByRole('button', { name: 'Stop' }).click();
  await tab.getByText('Stopped. Everything so far is kept.').waitFor();
  await preview(tab).getByRole('heading', { name: 'Half' }).waitFor();
  await tab.getByRole('button', { name: 'More actions' }).click();
  await tab.getByRole('menuitem', { name: 'Discard page…' }).click();
  await tab.getByRole('button', { name: 'Discard page', exact: true }).click();
  await tab.getByText('Discarded.').waitFor();
  expect((await stage.call('GET', `/api/functions/${slug}`, { token: writer.token })).status).toBe(404);
  expect(await fetchPages(writer)).toHaveLength(before);
});

test('what is stopped before there is a page is still in the box, and leaves nothing', async () => {
  const tab = await stage.enter(writer);
  const before = (await fetchPages(writer)).length;
  vendor.play([{ calls: [save(html('Never seen'))] }, { text: 'Made.' }]);
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>();
  await tab.route('**/api/builder', async (route) => {
    if (route.request().method() === 'POST') await answered;
    await route.continue();
  });
  await describe(tab, 'A page about patience');
  await tab.getByText('Starting…').first().waitFor();
  await tab.getByRole('button', { name: 'Stop' }).click();
  await tab.waitForURL(/\/pages\/new$/);
  const box = tab.getByRole('textbox', { name: 'What do you want to make?' });
  expect(await box.inputValue()).toBe('A page about patience');
  const removed = tab.waitForRequest(
    (request) => request.method() === 'DELETE' && /\/api\/pages\/\d+$/.test(request.url()),
  );
  answer();
  await (await removed).response();
  expect(await fetchPages(writer)).toHaveLength(before);
});

test('a model that fails says what to do, loses nothing, and can be tried again', async () => {
  const tab = await stage.enter(writer);
  vendor.play([{ status: 401 }]);
  await describe(tab, 'A page about luck');
  await tab.getByText('The model does not accept the key of this server.').waitFor();
  await expectUsable(tab);
  await tab.reload();
  await tab.getByText('A page about luck').first().waitFor();
  vendor.play([{ calls: [save(html('Half a page'))], ends: 'half' }]);
  await tab.getByRole('button', { name: 'Try again' }).click();
  await tab.getByText('The model could not be reached.').waitFor();
  vendor.play([{ calls: [save(html('Second try'))] }, { text: 'Made.' }]);
  await tab.getByRole('button', { name: 'Try again' }).click();
  await preview(tab).getByRole('heading', { name: 'Second try' }).waitFor();
  await tab.getByText('This took').waitFor();

  // Two windows that ask at once: one works, the other says so and keeps the message.
  const second = await stage.enter(writer);
  await second.goto(tab.url());
  await preview(second).getByRole('heading', { name: 'Second try' }).waitFor();
  const { open, pace } = gate(0);
  vendor.play([{ text: 'Which colour?', pace }]);
  const windows = [tab, second];
  const wishes = ['Make it blue', 'Make it green'];
  for (const [at, window] of windows.entries())
    await window.getByRole('textbox', { name: 'What should change?' }).fill(wishes[at] ?? '');
  // Neither is sent before both are: a window that already watches the other's run does not ask.
  const sent = Promise.withResolvers<void>();
  let waiting = 0;
  for (const window of windows)
    await window.route('**/api/builder/*', async (route) => {
      if (route.request().method() === 'POST') {
        if (++waiting === windows.length) sent.resolve();
        await sent.promise;
      }
      await route.continue();
    });
  await Promise.all(windows.map((window) => window.keyboard.press('Enter')));
  const refused = await Promise.any(
    windows.map(async (window, at) => {
      await window.getByText('Your message was not sent.').waitFor();
      return { window, wish: wishes[at] ?? '' };
    }),
  );
  await refused.window.getByText(refused.wish).waitFor();
  open();
  await tab.getByText('Which colour?').first().waitFor();
});

test('a page of somebody else, or none, is not found', async () => {
  const other = await stage.register('describer-other');
  const page = await stage.publish(other, html('Theirs'), { name: 'Theirs' });
  const tab = await stage.enter(writer);
  for (const id of [page.id, 999_999]) {
    await tab.goto(`${stage.baseUrl}/pages/build/${id}`);
    await tab.getByRole('heading', { name: 'Page not found' }).waitFor();
  }
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

  const change = { name: 'edit_file', input: { find: '<h1>Typed</h1>', replace: '<h1>Built</h1>' } };
  const file = {
    name: 'write_files',
    input: { files: { 'css/style.css': 'h1 { color: teal }\n' } },
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

test('on a page with functions the builder works on a branch, if the person does not want it otherwise', async () => {
  const { token } = writer;
  const call = (method: string, path: string, body?: object) =>
    stage.call(method, path, { token, ...(body && { body }) });
  // Nobody can call it on the branch, so the check must not send the model to mend that.
  const calling = "<script>PageFunctions.call('busy-fn').catch(() => {});</script>\n";
  const old = html('Old', calling);
  const page = await stage.publish(writer, old, { name: 'Busy' });
  const code = 'export default { fetch: () => new Response("yes") }';
  expect((await call('POST', '/api/functions', { slug: 'busy-fn', code })).status).toBe(201);
  expect((await call('PATCH', `/api/pages/${page.id}`, { functions: ['busy-fn'] })).status).toBe(200);
  const tab = await stage.enter(writer);
  const complaints = watchComplaints(tab);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await codeField(tab).waitFor();
  await write(tab, html('Typed', calling));
  await tab.getByRole('button', { name: 'Builder', exact: true }).click();
  const chat = tab.getByRole('complementary', { name: 'Builder' });
  const choice = chat.getByRole('switch', { name: 'Work on a branch' });
  expect(await choice.isChecked()).toBe(true);
  await expectUsable(tab);

  const ask = async (text: string) => {
    await chat.getByRole('textbox', { name: 'What should change?' }).fill(text);
    await chat.getByRole('button', { name: 'Send' }).click();
  };
  const edit = (find: string, replace: string) => ({ name: 'edit_file', input: { find, replace } });
  vendor.play([{ calls: [edit('<h1>Typed', '<h1>Built')] }, { text: 'I changed it on the branch.' }]);
  await ask('Change the heading');
  await tab.waitForURL((url) => url.pathname !== `/pages/${page.id}`);
  const branch = Number(/\/pages\/(\d+)/.exec(tab.url())?.[1]);
  const made = (await call('GET', `/api/pages/${branch}`)).body.page;
  expect(made.branch).toMatchObject({ of: page.id, name: 'builder' });
  await chat.getByText('I changed it on the branch.').first().waitFor();
  expect(await choice.count()).toBe(0);
  await expectUsable(tab);
  await chat.getByRole('button', { name: 'Accept' }).click();
  await codeField(tab).getByText('<h1>Built</h1>').waitFor();
  await tab.keyboard.press('ControlOrMeta+Shift+S');
  await tab.getByText('Published as version 2.').waitFor();
  expect((await call('GET', `/api/pages/${page.id}`)).body.page.html_content).toBe(old);

  // A second wish on the page begins with what the page has, on a branch of its own.
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await tab.getByRole('button', { name: 'Builder', exact: true }).click();
  vendor.play([{ calls: [edit('<h1>Typed', '<h1>Built again')] }, { text: 'I changed it again.' }]);
  await ask('Again');
  await tab.waitForURL((url) => ![`/pages/${page.id}`, `/pages/${branch}`].includes(url.pathname));
  await tab.getByText('You are on the branch builder-2 now.').waitFor();
  await chat.getByText('I changed it again.').first().waitFor();
  await chat.getByRole('button', { name: 'Accept' }).waitFor();

  // On the page itself, if the person wants that.
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await tab.getByRole('button', { name: 'Builder', exact: true }).click();
  await choice.click();
  vendor.play([{ calls: [edit('<h1>Typed', '<h1>Here')] }, { text: 'I changed it here.' }]);
  await ask('Here');
  await chat.getByText('I changed it here.').first().waitFor();
  await chat.getByRole('button', { name: 'Accept' }).waitFor();
  expect(new URL(tab.url()).pathname).toBe(`/pages/${page.id}`);
  // The preview is opened by nobody, too.
  expect(complaints.filter((each) => !each.includes('/api/functions/busy-fn'))).toEqual([]);
}, 120_000);

test('a proposal that is rejected takes the functions along that were started for it, in each run', async () => {
  const page = await stage.publish(writer, html('Old'), { name: 'Rejected' });
  const tab = await stage.enter(writer);
  await tab.goto(`${stage.baseUrl}/pages/${page.id}`);
  await tab.getByRole('button', { name: 'Builder', exact: true }).click();
  const chat = tab.getByRole('complementary', { name: 'Builder' });
  const ask = async (slug: string, heading: string, next: string) => {
    const code = 'export default { fetch: () => new Response() }';
    const edit = { find: `<h1>${heading}</h1>`, replace: `<h1>${next}</h1>` };
    vendor.play([
      {
        calls: [
          { name: 'deploy_function', input: { slug, code } },
          { name: 'edit_file', input: edit },
        ],
      },
      { text: `I started ${slug}.` },
    ]);
    await chat.getByRole('textbox', { name: 'What should change?' }).fill(`Start ${slug}`);
    await chat.getByRole('button', { name: 'Send' }).click();
    await chat.getByText(`I started ${slug}.`).first().waitFor();
  };
  const kept = 'describer-kept';
  const code = 'export default { fetch: () => new Response() }';
  await stage.call('POST', '/api/functions', { token: writer.token, body: { slug: kept, code } });
  await ask('describer-one', 'Old', 'New');
  await ask('describer-two', 'New', 'Newer');
  await chat.getByText('Rejecting it also deletes describer-one, describer-two.').waitFor();
  await expectUsable(tab);
  await chat.getByRole('button', { name: 'Reject' }).click();
  await tab.getByText('Rejected. Nothing has changed.').waitFor();
  const statuses = ['describer-one', 'describer-two', kept].map(
    async (slug) => (await stage.call('GET', `/api/functions/${slug}`, { token: writer.token })).status,
  );
  expect(await Promise.all(statuses)).toEqual([404, 404, 200]);
});

test('rejecting takes back what was changed in functions of a branch, unless somebody has changed them since', async () => {
  const { token } = writer;
  const call = async (method: string, path: string, body?: object) => {
    const answer = await stage.call(method, path, { token, ...(body && { body }) });
    expect([path, answer.status < 300]).toEqual([path, true]);
    return answer.body;
  };
  const saying = (word: string) => `export default { fetch: () => new Response("${word}") }`;
  const page = await stage.publish(writer, html('Old'), { name: 'Taken back' });
  const slugs = ['undone-one', 'undone-two'];
  for (const slug of slugs) await call('POST', '/api/functions', { slug, code: saying('old') });
  await call('PATCH', `/api/pages/${page.id}`, { functions: slugs });
  await call('POST', `/api/pages/${page.id}/branches`, { name: 'try', data: 'schema' });
  const branch = await call('GET', `/api/pages/${page.id}/branches/try`);
  const copies: string[] = branch.functions.map(({ slug }: { slug: string }) => slug).sort();
  const tab = await stage.enter(writer);
  await tab.goto(`${stage.baseUrl}/pages/${branch.page.id}`);
  await tab.getByRole('button', { name: 'Builder', exact: true }).click();
  const chat = tab.getByRole('complementary', { name: 'Builder' });
  const readCode = (slug: string) => call('GET', `/api/functions/${slug}/code`).then(({ code }) => code);
  const ask = async (words: string, heading: string) => {
    const change = (slug: string) => ({ name: 'update_function', input: { slug, code: saying(words) } });
    const save = { name: 'save_draft', input: { html_content: html(heading) } };
    vendor.play([{ calls: [...copies.map(change), save] }, { text: `I changed them: ${words}.` }]);
    await chat.getByRole('textbox', { name: 'What should change?' }).fill(words);
    await chat.getByRole('button', { name: 'Send' }).click();
    await chat.getByText(`I changed them: ${words}.`).first().waitFor();
    await chat.getByText(`Rejecting it also takes back what it changed in ${copies.join(', ')}.`).waitFor();
  };
  await ask('new', 'New');
  await ask('newer', 'Newer');
  await expectUsable(tab);
  await chat.getByRole('button', { name: 'Reject' }).click();
  await tab.getByText('Rejected. Nothing has changed.').waitFor();
  expect(await Promise.all(copies.map(readCode))).toEqual([saying('old'), saying('old')]);

  await ask('newest', 'Newest');
  const [mine = '', theirs = ''] = copies;
  await call('PATCH', `/api/functions/${theirs}`, { code: saying('by hand') });
  await chat.getByRole('button', { name: 'Reject' }).click();
  await tab.getByText(`Rejected. Somebody has changed ${theirs} since, so look at Changes.`).waitFor();
  expect([await readCode(mine), await readCode(theirs)]).toEqual([saying('old'), saying('by hand')]);
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
  await tab.waitForURL(/\/pages\/\d+\/share\?template=/);
  expect(complaints).toEqual([]);
});
