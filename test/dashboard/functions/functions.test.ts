import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import type { Locator } from 'playwright-core';
import { expectReadable, watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import { deploy, findEditor, HELLO, markedLine, open, write } from './deploy.ts';

/** Creating, changing and deleting functions in the dashboard. */

const BROKEN = 'export default {\n  fetch() {\n    return new Response("hi"\n  },\n};\n';

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-functions');
});
afterEach(closeTabs);

const call = (slug: string, token?: string) =>
  stage.call('POST', `/api/functions/${slug}`, { body: {}, ...(token && { token }) });

const focused = (field: Locator) => field.evaluate((element) => element.matches(':focus'));

describe('creating a function', () => {
  test('starts from a template with a database, deploys, and shows a response in the console', async () => {
    const newcomer = await stage.register('nina-functions');
    const tab = await stage.reuse(newcomer);
    const complaints = watchComplaints(tab);
    await open(stage, tab, '');
    await tab.getByRole('link', { name: 'JSON API with a database' }).click();
    await tab.getByLabel('Slug').fill('notes');
    await tab.getByLabel('Display name').fill('Notes');
    expect(await tab.getByLabel('Database').inputValue()).toBe('new');
    await tab.getByRole('button', { name: 'Deploy' }).click();

    await tab.getByRole('heading', { name: 'Notes', level: 1 }).waitFor();
    expect(new URL(tab.url()).pathname).toBe('/functions/notes');
    await write(tab, 'Request body', '{"action":"add","text":"Milk <b>"}');
    await tab.keyboard.press('ControlOrMeta+Enter');
    await tab.getByRole('status', { name: 'Response' }).getByText('"id": 1').waitFor();
    await write(tab, 'Request body', '{"action":"list"}');
    await tab.getByRole('button', { name: 'Call' }).click();
    await tab.getByRole('status', { name: 'Response' }).getByText('"text": "Milk <b>"').waitFor();

    await tab.getByText('Last 2 calls').click();
    await tab.getByRole('button', { name: /"add"/ }).click();
    await tab.getByRole('status', { name: 'Response' }).getByText('"id": 1').waitFor();
    expect(await findEditor(tab, 'Request body').textContent()).toContain('"action":"add"');
    expect(complaints).toEqual([]);
  });

  test('shows an error at its line, and keeps everything that was typed', async () => {
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/_new');
    await tab.getByLabel('Slug').fill('mistaken');
    await tab.getByLabel('Display name').fill('Mistaken');
    await write(tab, 'Code', BROKEN);
    await tab.getByRole('button', { name: 'Deploy' }).click();
    expect(await tab.getByRole('alert').textContent()).toContain('line 3');
    expect(await markedLine(tab)).toBe(3);
    expect(await tab.getByLabel('Display name').inputValue()).toBe('Mistaken');
    expect((await stage.call('GET', '/api/functions/mistaken')).status).toBe(404);

    await write(tab, 'Code', HELLO);
    await tab.keyboard.press('ControlOrMeta+s');
    await tab.getByRole('heading', { name: 'Mistaken', level: 1 }).waitFor();
    expect((await call('mistaken')).status).toBe(200);
  });

  test('checks a slug while it is typed, and says if it is taken', async () => {
    await deploy(stage, owner, 'taken');
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/_new/hello');
    const slug = tab.getByLabel('Slug');
    const button = tab.getByRole('button', { name: 'Deploy' });
    for (const [typed, words] of [
      ['Big', 'only a-z'],
      ['-a', 'start and end'],
      ['a'.repeat(101), 'At most 100'],
    ] as const) {
      await slug.fill(typed);
      await tab.getByText(words).waitFor();
      await button.click();
      expect(await focused(slug)).toBe(true);
    }
    await slug.fill('');
    await button.click();
    await tab.getByText('Enter a slug').waitFor();
    await slug.fill('a'.repeat(100));
    expect(await slug.getAttribute('aria-invalid')).toBe(null);
    await slug.fill('taken');
    await button.click();
    await tab.getByText('is taken').waitFor();
    expect(await tab.getByRole('alert').count()).toBe(0);
    expect([await slug.inputValue(), await focused(slug)]).toEqual(['taken', true]);
    await slug.fill('taken-not');
    expect(await tab.getByText('is taken').count()).toBe(0);
  });

  test('makes it public by default and says so', async () => {
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/_new/hello');
    await tab.getByLabel('Slug').fill('quiet');
    await tab.getByText('Anyone can call it').waitFor();
    await tab.getByRole('switch', { name: 'Public' }).uncheck();
    await tab.getByText('Only you can call it').waitFor();
    await tab.getByRole('button', { name: 'Deploy' }).click();
    await tab.getByRole('heading', { name: 'quiet', level: 1 }).waitFor();
    expect((await call('quiet')).status).toBe(404);
    expect((await call('quiet', owner.token)).status).toBe(200);
  });

  test('can share the database of another function', async () => {
    await deploy(stage, owner, 'source', { enableDatabase: true });
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/_new/hello');
    await tab.getByLabel('Slug').fill('sharer');
    await tab.getByLabel('Database').selectOption({ label: 'Shared with source' });
    await tab.getByRole('button', { name: 'Deploy' }).click();
    await tab.getByRole('heading', { name: 'sharer', level: 1 }).waitFor();

    await tab.getByRole('link', { name: 'Settings' }).click();
    await tab.getByRole('link', { name: 'source' }).waitFor();
    await tab.getByRole('button', { name: 'Delete this function' }).click();
    await tab.getByRole('dialog').getByText('The database stays, because source uses it.').waitFor();
    await tab.getByLabel('Type sharer to confirm').fill('sharer');
    await tab.getByRole('button', { name: 'Delete permanently' }).click();
    await tab.getByRole('heading', { name: 'Functions', level: 1 }).waitFor();
    expect((await stage.call('GET', '/api/functions/sharer')).status).toBe(404);

    await open(stage, tab, '/source/settings');
    await tab.getByRole('button', { name: 'Delete this function' }).click();
    await tab.getByRole('dialog').getByText('Its database is deleted too').waitFor();
    expect(await tab.getByRole('button', { name: 'Delete permanently' }).isDisabled()).toBe(true);
  });

  test('asks before another template replaces what was typed', async () => {
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/_new/hello');
    await write(tab, 'Code', '// mine');
    await tab.getByLabel('Start from').selectOption('fetch');
    await tab.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
    expect(await findEditor(tab, 'Code').textContent()).toBe('// mine');
    expect(await tab.getByLabel('Start from').inputValue()).toBe('hello');
    await tab.getByLabel('Start from').selectOption('fetch');
    await tab.getByRole('button', { name: 'Replace' }).click();
    expect(await findEditor(tab, 'Code').textContent()).toContain('https://example.com/');
  });
});

describe('the code screen', () => {
  test('fills the window with the editor and the test beside it, and each scrolls by itself', async () => {
    const code = `${HELLO}${'// A line of a long function.\n'.repeat(300)}`;
    await deploy(stage, owner, 'wide', { code });
    const tab = await stage.reuse(owner);
    const measure = () =>
      tab.evaluate<
        Record<'page' | 'window' | 'bottom' | 'right' | 'height' | 'beside' | 'inner', number>
      >(`(() => {
        const [editor, test] = ['.fn-module > .code-editor', '.fn-console'].map((each) => document.querySelector(each).getBoundingClientRect());
        return {
          page: document.documentElement.scrollHeight, window: innerHeight,
          bottom: Math.round(editor.bottom), right: Math.round(test.right), height: editor.height,
          beside: test.left - editor.right, inner: document.querySelector('.fn-pane .cm-scroller').clientHeight,
        };
      })()`);
    for (const [width, height] of [
      [1100, 700],
      [1440, 900],
      [2400, 1300],
    ] as const) {
      await tab.setViewportSize({ width, height });
      await open(stage, tab, '/wide');
      await findEditor(tab, 'Code').waitFor();
      const found = await measure();
      expect(found).toMatchObject({ page: height, window: height, bottom: height, right: width });
      expect(found.height).toBeGreaterThan(height * 0.7);
      expect(found.beside).toBeGreaterThanOrEqual(-1);
      expect(found.inner).toBeLessThanOrEqual(Math.ceil(found.height));
      // The last line can be read, and the page does not move for it.
      await findEditor(tab, 'Code').click();
      await tab.keyboard.press('ControlOrMeta+End');
      await waitUntil(() => tab.evaluate(`document.querySelector('.fn-pane .cm-scroller').scrollTop > 0`));
      expect(await tab.evaluate('scrollY')).toBe(0);
    }
    await expectReadable(tab);
    // On a phone they are below each other.
    await tab.setViewportSize({ width: 390, height: 844 });
    const [editor, test] = await Promise.all(
      ['.fn-module > .code-editor', '.fn-console'].map((each) => tab.locator(each).boundingBox()),
    );
    expect(test?.y).toBeGreaterThan((editor?.y ?? 0) + (editor?.height ?? 0) - 1);
  });

  test('deploys with Ctrl-S, and keeps unsaved code over a reload and on other screens', async () => {
    await deploy(stage, owner, 'draft');
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/draft');
    await write(tab, 'Code', HELLO.replace('Hello', 'Good day'));
    expect(await tab.getByText('Not deployed yet').locator('..').textContent()).toBe(
      'Version 1 is live · Not deployed yet',
    );

    tab.once('dialog', (dialog) => dialog.accept());
    await tab.reload();
    await tab.getByText('Not deployed yet').waitFor();
    expect(await findEditor(tab, 'Code').textContent()).toContain('Good day');

    await tab.getByRole('link', { name: 'Pages', exact: true }).click();
    await tab.getByText('Your changes to draft are stored in this browser').waitFor();
    await tab.goBack();
    await tab.getByText('Not deployed yet').waitFor();
    expect(await findEditor(tab, 'Code').textContent()).toContain('Good day');

    await tab.getByRole('link', { name: 'Secrets' }).click();
    await tab.getByText('No secrets yet').waitFor();
    await tab.getByRole('link', { name: 'Code' }).click();
    await findEditor(tab, 'Code').click();
    await tab.keyboard.press('ControlOrMeta+s');
    await tab.getByText('Deployed version 2.').waitFor();
    expect(await tab.getByText('Not deployed yet').count()).toBe(0);
    expect((await call('draft')).body.data).toBe('Good day, world');
    await tab.keyboard.press('ControlOrMeta+s');
    await tab.getByText('No changes: version 2 is live.').waitFor();
  });

  test('marks the line where a deploy failed, while the old version keeps running', async () => {
    await deploy(stage, owner, 'steady');
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/steady');
    await write(tab, 'Code', BROKEN);
    await tab.getByRole('button', { name: 'Deploy' }).click();
    expect(await tab.getByRole('alert').textContent()).toContain('missing ) after argument list (line 3');
    expect(await markedLine(tab)).toBe(3);
    expect((await call('steady')).body.data).toBe('Hello, world');
    await tab.getByRole('button', { name: 'Discard changes' }).click();
    await tab.getByRole('button', { name: 'Discard', exact: true }).click();
    expect(await markedLine(tab)).toBe(0);
    expect(await findEditor(tab, 'Code').textContent()).toContain('greeting');
    expect(await tab.getByText('Not deployed yet').count()).toBe(0);
  });

  test('says when another version was deployed meanwhile', async () => {
    await deploy(stage, owner, 'twice');
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/twice');
    await write(tab, 'Code', '// mine');
    await tab.getByText('Not deployed yet').waitFor();
    const body = { code: HELLO.replace('Hello', 'Hi') };
    await stage.call('PATCH', '/api/functions/twice', { token: owner.token, body });
    tab.once('dialog', (dialog) => dialog.accept());
    await tab.reload();
    await tab.getByText('based on version 1, but version 2').waitFor();
    expect(await findEditor(tab, 'Code').textContent()).toBe('// mine');
  });
});

describe('the test console', () => {
  test('shows a response as text, whatever its type, and never calls twice', async () => {
    const code = `let calls = 0;
      export default { fetch(request) {
        const page = new URL(request.url).searchParams.get('page');
        return new Response('<h1 id=hostile>' + page + ', call ' + (++calls) + '</h1>',
          { status: 401, headers: { 'content-type': 'text/html', 'x-mine': 'yes' } });
      } }`;
    await deploy(stage, owner, 'refuser', { code });
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/refuser');
    await tab.getByLabel('Query').fill('page=7');
    await tab.getByRole('button', { name: 'Call' }).click();
    const answer = tab.getByRole('status', { name: 'Response' });
    await answer.getByText('<h1 id=hostile>7, call 1</h1>').waitFor();
    expect(await tab.locator('#hostile').count()).toBe(0);
    // Headers can contain any digits.
    await answer.getByText('401', { exact: true }).waitFor();
    await answer.getByText(/headers$/).click();
    await answer.getByText('x-mine').waitFor();
  });

  test('shows the owner what a call printed, and what it threw with its stack', async () => {
    const code = `export default { fetch() {
      console.log('<b>about to</b>');
      throw new Error('no luck');
    } }`;
    await deploy(stage, owner, 'thrower', { code });
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/thrower');
    await tab.getByRole('button', { name: 'Call' }).click();
    const answer = tab.getByRole('status', { name: 'Response' });
    const exception = answer.getByRole('region', { name: 'Exception' });
    await exception.getByText('Error: no luck', { exact: true }).waitFor();
    // It comes before the response that callers get, which says nothing.
    const shown = await answer.innerText();
    expect(shown.indexOf('no luck')).toBeLessThan(shown.indexOf('The function threw an exception'));
    expect(shown).not.toContain('quire-shim');
    // A line of the stack leads to its place in the code.
    await exception.getByRole('button', { name: /function\.js:3/ }).press('Enter');
    await waitUntil(async () => (await markedLine(tab)) === 3);
    await tab.locator('.cm-content[aria-label="Code"]:focus').waitFor();
    await answer.getByRole('region', { name: 'Log of this call' }).getByText('<b>about to</b>').waitFor();
    await answer.getByText('Only you see this.').waitFor();
    await expectReadable(tab);
  });

  test('stops waiting on request, and says when a response is not text', async () => {
    const code = `export default { async fetch(request) {
      if ((await request.json()).wait) await new Promise((resolve) => setTimeout(resolve, 20000));
      return new Response(new Uint8Array([0xff, 0xfe, 0]));
    } }`;
    await deploy(stage, owner, 'slow', { code });
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/slow');
    await write(tab, 'Request body', '{"wait":true}');
    await tab.keyboard.press('ControlOrMeta+Enter');
    await tab.getByRole('button', { name: 'Stop' }).click();
    await tab.getByText('You stopped the call.').waitFor();
    await write(tab, 'Request body', '{}');
    await tab.keyboard.press('ControlOrMeta+Enter');
    await tab.getByText('The body is not text').waitFor();
  });
});

describe('secrets', () => {
  test('reach the code, are never shown, and can be deleted', async () => {
    const code = `export default { fetch: (request, env) =>
      Response.json({ key: env.API_KEY ? 'has ' + env.API_KEY.length : 'none' }) }`;
    await deploy(stage, owner, 'keeper', { code });
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/keeper/secrets');
    await tab.getByLabel('Name').fill('api-key');
    await tab.getByText('only A-Z, 0-9 and _').waitFor();
    await tab.getByLabel('Name').fill('API_KEY');
    await tab.getByLabel('Value').fill('s3cret-value');
    await tab.getByRole('button', { name: 'Add', exact: true }).click();
    await tab.getByRole('button', { name: 'Delete API_KEY' }).waitFor();
    expect(await tab.getByLabel('Value').inputValue()).toBe('');
    expect(await tab.content()).not.toContain('s3cret-value');
    expect((await call('keeper')).body.key).toBe('has 12');

    await tab.getByRole('button', { name: 'Replace API_KEY' }).click();
    await tab.getByLabel('Value').fill('x'.repeat(64 * 1024 + 1));
    await tab.getByRole('button', { name: 'Replace', exact: true }).click();
    expect(await tab.getByRole('alert').textContent()).toContain('at most 65,536 bytes');
    expect((await tab.getByLabel('Value').inputValue()).length).toBe(64 * 1024 + 1);

    await tab.getByRole('button', { name: 'Delete API_KEY' }).click();
    await tab.getByLabel('Type API_KEY to confirm').fill('API_KEY');
    await tab.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await tab.getByText('No secrets yet').waitFor();
    expect((await call('keeper')).body.key).toBe('none');
  });
});

describe('settings', () => {
  test('can make a function private, and public again', async () => {
    await deploy(stage, owner, 'hidden');
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/hidden/settings');
    await tab.getByLabel('Public').uncheck();
    await tab.getByText('Only you can call this function now.').waitFor();
    expect((await call('hidden')).status).toBe(404);
    await tab.getByRole('link', { name: 'Code' }).click();
    await tab.getByRole('button', { name: 'Call' }).click();
    await tab.getByRole('status', { name: 'Response' }).getByText('Hello, world').waitFor();
    await tab.getByRole('link', { name: 'Settings' }).click();
    await tab.getByLabel('Public').check();
    await tab.getByText('Anyone can call this function now.').waitFor();
    expect((await call('hidden')).status).toBe(200);
  });

  test('can change names, and show errors next to the field', async () => {
    await deploy(stage, owner, 'named');
    const tab = await stage.reuse(owner);
    await open(stage, tab, '/named/settings');
    await tab.getByLabel('Display name').fill('x'.repeat(201));
    const save = (section: string) => tab.locator(section).getByRole('button', { name: 'Save' }).click();
    await save('#about');
    await tab.getByRole('alert').waitFor();
    expect(await tab.getByLabel('Display name').getAttribute('aria-invalid')).toBe('true');
    await tab.getByLabel('Display name').fill('<i>Named</i>');
    await tab.getByLabel('Description').fill('What it does');
    await save('#about');
    await tab.getByRole('heading', { name: '<i>Named</i>', level: 1 }).waitFor();
    const { body } = await stage.call('GET', '/api/functions/named');
    expect([body.displayName, body.description]).toEqual(['<i>Named</i>', 'What it does']);
    const limit = tab.getByLabel('Credits a day');
    expect(await limit.inputValue()).toBe('50');
    await limit.fill('10001');
    await save('#ai');
    await tab.locator('#ai').getByText('must be a whole number from 0 to 10,000', { exact: true }).waitFor();
    await limit.fill('0');
    await save('#ai');
    const detail = () => stage.call('GET', '/api/functions/named', { token: owner.token });
    await waitUntil(async () => (await detail()).body.aiDailyLimit === 0);
  });
});

describe('the list', () => {
  test('says for which page of a template a function is, with a link to the page', async () => {
    const maker = await stage.register('template-lister');
    const { token } = maker;
    const name = 'Guests <b> of $& Ada';
    const { body } = await stage.call('POST', '/api/templates/signed-book/pages', { token, body: { name } });
    const tab = await stage.reuse(maker);
    await open(stage, tab, '');
    const line = tab.getByText(`Keeps the notes of ${name} in a database.`);
    await line.waitFor();
    expect(await line.getByRole('link', { name }).getAttribute('href')).toBe(`/pages/${body.page.id}`);
    expect(await tab.getByText('Belongs to').count()).toBe(0);
    // With another name, what was written stays, and the link follows.
    await stage.call('PATCH', `/api/pages/${body.page.id}`, { token, body: { name: 'Visitors' } });
    await tab.reload();
    await tab.getByText('Belongs to Visitors').waitFor();
    await line.waitFor();
  });

  test('finds functions by name, slug and description, and shows those of the platform', async () => {
    const lister = await stage.register('lister');
    await deploy(stage, lister, 'apple', { displayName: 'Round <b>', enableDatabase: true });
    await deploy(stage, lister, 'banana', { description: 'long and bent', isPublic: false });
    const tab = await stage.reuse(lister);
    await open(stage, tab, '');
    await tab.getByRole('link', { name: 'Round <b>' }).waitFor();
    await tab.getByText('Unfurl a URL').waitFor();
    await tab.getByLabel('Search functions').fill('BENT');
    await tab.getByText('1 of 2').waitFor();
    expect(await tab.getByRole('link', { name: 'Round <b>' }).count()).toBe(0);
    await tab.locator('.fn-list').getByText('Private').waitFor();
    await tab.getByLabel('Search functions').fill('cherry');
    await tab.getByText('No functions found').waitFor();
  });

  test('says that the service cannot be reached, and can try again', async () => {
    await deploy(stage, owner, 'reachable');
    const tab = await stage.reuse(owner);
    await tab.route('**/api/functions?mine=true*', (route) => route.abort());
    await open(stage, tab, '');
    await tab.getByRole('alert').getByText('Cannot reach the service').first().waitFor();
    await tab.unroute('**/api/functions?mine=true*');
    await tab.getByRole('button', { name: 'Try again' }).click();
    await tab.getByRole('link', { name: 'New function' }).waitFor();
    await tab.getByLabel('Search functions').waitFor();
  });
});

test('a function that does not exist, or belongs to someone else, shows an error', async () => {
  const stranger = await stage.register('stranger-functions');
  await deploy(stage, owner, 'theirs');
  const tab = await stage.reuse(stranger);
  const complaints = watchComplaints(tab);
  await open(stage, tab, '/theirs');
  await tab.getByText('It belongs to olga-functions').waitFor();
  expect(await tab.getByRole('button', { name: 'Deploy' }).count()).toBe(0);
  expect(complaints).toEqual([]);
  await open(stage, tab, '/unfurl-url');
  await tab.getByText('It is part of Quire.').waitFor();
  await tab.goto(`${stage.baseUrl}/functions/nothing-here`);
  await tab.getByRole('alert').getByText('was not found').waitFor();
  await tab.getByRole('link', { name: 'Go to functions' }).click();
  await tab.waitForURL('**/functions');
});
