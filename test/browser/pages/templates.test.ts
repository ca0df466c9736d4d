import { afterEach, beforeAll, expect, test } from 'bun:test';
import { basename } from 'node:path';
import catalog from '../../../templates/catalog.json' with { type: 'json' };
import { expectReadable } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { type Answer, button, MARKUP, TemplatePages } from '../../support/browser/templates.ts';

/** Templates made into pages, and used on a phone as their visitors would. */

/** Those whose functions need npm packages are in `package-templates.test.ts`. */
const WITH_PACKAGES = ['poll', 'board', 'digest'];
const KEYS = catalog.map(({ folder }) => basename(folder)).filter((key) => !WITH_PACKAGES.includes(key));
const RED_DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAoAAAAKCAYAAACNMs+9AAAAFUlEQVR42mP8z8BQz0AEYBxVSF+FABJADveWkH6oAAAAAElFTkSuQmCC';

let stage: Stage;
let olga: Person;
let ben: Person;
let pages: TemplatePages;
beforeAll(async () => {
  stage = await sharedStage('origin');
  [olga, ben] = [await stage.register('olga-templates'), await stage.register('ben-templates')];
  pages = new TemplatePages(stage, olga);
});
afterEach(async () => {
  await closeTabs();
  pages.expectQuiet();
});

test.each(KEYS)('%s is right with a long name, in both languages, and its samples are marked', (key) =>
  pages.expectRight(key),
);

test('links: the owner adds and orders links, and a stranger writes a message', async () => {
  const { id, url } = await pages.make('links', 'Mira Solano');
  const [owner, guest] = [await pages.open(url, olga), await pages.open(url)];
  await button(owner, 'Add a link').click();
  await owner.getByLabel('Text', { exact: true }).fill(MARKUP);
  await owner.getByLabel('Address').fill('javascript:alert(1)');
  await button(owner, 'Save').click();
  await owner.getByText('This is not an address').waitFor();
  await owner.getByLabel('Address').fill('mira@example.com');
  await button(owner, 'Save').click();
  await guest.getByText(MARKUP).waitFor();
  expect(await guest.getByRole('link').last().getAttribute('href')).toBe('mailto:mira@example.com');
  await button(owner, 'Edit').click();
  await owner.getByLabel(`Up: ${MARKUP}`).click();
  await guest.locator('li:nth-child(4)', { hasText: 'mira@example.com' }).waitFor();
  expect(await button(guest, 'Add a link').isVisible()).toBe(false);
  const data = { title: 'Mine', address: 'https://example.com', icon: 'link', position: 9 };
  const written = await stage.call('POST', `/api/pages/${id}/social-data/links`, {
    token: ben.token,
    body: { data },
  });
  expect(written.status).toBe(403);

  await button(guest, 'Say hello').click();
  await guest.getByLabel('Your name').fill('Ben');
  await guest.getByLabel('Message').fill('Hello!');
  await button(guest, 'Send').click();
  await guest.getByText('Your message is on its way.').waitFor();
  await expectReadable(guest);
});

test('survey: one question at a time, and the answers arrive together', async () => {
  const { id, url } = await pages.make('survey', 'Workshop');
  const tab = await pages.open(url);
  await button(tab, 'Start').click();
  await button(tab, 'Next').click();
  await tab.getByText('Choose an answer first.').waitFor();
  await tab.getByText('Good', { exact: true }).click();
  await tab.getByLabel('What I learned').check();
  await tab.keyboard.press('a');
  await button(tab, 'Next').click();
  await button(tab, 'Back').click();
  expect(await tab.getByLabel('What I learned').isChecked()).toBe(true);
  await button(tab, 'Next').click();
  await tab.getByText('Just right').click();
  await tab.getByText('10', { exact: true }).click();
  await tab.getByLabel('Your answer').fill(MARKUP);
  await button(tab, 'Next').click();
  await tab.getByLabel('Your e-mail address').fill('nobody');
  await button(tab, 'Send').click();
  await tab.getByRole('alert').filter({ hasText: '@' }).waitFor();
  await tab.getByLabel('Your e-mail address').fill('');
  await button(tab, 'Send').click();
  await tab.getByText('Thank you. That helps a lot.').waitFor();
  await tab.locator('dd', { hasText: MARKUP }).waitFor();
  await expectReadable(tab);
  const { body } = await stage.call('GET', `/api/pages/${id}/forms/answers`, { token: olga.token });
  const [{ fields }] = body.messages;
  expect(fields).toMatchObject({ feeling: 'Good', pace: 'Just right', friend: '10', change: MARKUP });
  expect(JSON.stringify(fields)).toContain('What I learned');
});

test('album: a photo is made smaller, appears for others, and belongs to its author', async () => {
  const { id, url } = await pages.make('album', 'Lake');
  const [writer, guest, owner] = [
    await pages.open(url, ben),
    await pages.open(url),
    await pages.open(url, olga),
  ];
  await guest.getByText('8 photos').waitFor();
  const buffer = Buffer.from(RED_DOT, 'base64');
  await button(writer, 'Add photos').waitFor();
  await writer.locator('#files').setInputFiles([
    { name: 'dot.png', mimeType: 'image/png', buffer },
    { name: 'broken.png', mimeType: 'image/png', buffer: Buffer.from('not a picture') },
  ]);
  await writer.getByText('“broken.png” is not a picture').waitFor();
  await guest.getByText('9 photos by 2 people').waitFor();
  await writer.getByRole('button', { name: 'A photo by ben-templates' }).click();
  await writer.getByLabel('Caption').fill(MARKUP);
  await button(writer, 'Save').click();
  await guest.getByRole('button', { name: MARKUP }).click();
  await guest.getByRole('dialog').getByText(MARKUP).waitFor();
  await expectReadable(guest);
  expect(await button(guest, 'Delete').isVisible()).toBe(false);

  const path = `/api/pages/${id}/social-data/photos`;
  const data = { thumb: 'https://example.com/spy.png', width: 1, height: 1 };
  expect((await stage.call('POST', path, { token: ben.token, body: { data } })).status).toBe(422);
  const { records } = (await stage.call('GET', path)).body;
  const sample = records.find((each: Answer) => each.data.sample);
  expect((await stage.call('DELETE', `${path}/${sample.id}`, { token: ben.token })).status).toBe(403);
  owner.on('dialog', (dialog) => void dialog.accept());
  await owner.getByRole('button', { name: MARKUP }).click();
  await button(owner, 'Delete').click();
  await writer.getByText('8 photos').waitFor({ state: 'attached' });
  const left = await stage.call('GET', `/api/pages/${id}/social-data/pictures`);
  expect(left.body.total).toBe(0);
});

test('portfolio: a piece of work opens, and a message is sent', async () => {
  const { url } = await pages.make('portfolio', 'Noa');
  const tab = await pages.open(url);
  await tab.getByRole('button', { name: /Tidebook/ }).click();
  await tab.getByRole('dialog').getByText('A year of tides').waitFor();
  await expectReadable(tab);
  await button(tab, 'Close').click();
  await tab.getByLabel('Your name').fill('Ben');
  await tab.getByLabel('Your e-mail').fill('ben@example.com');
  await tab.getByLabel('What is it about?').fill('A poster');
  await button(tab, 'Send').click();
  await tab.getByText('I will write back soon.').waitFor();
});

test('signup-sheet: two strangers sign up, and only each can take their own name back', async () => {
  const { id, url } = await pages.make('signup-sheet', 'Party');
  const [first, second, owner] = [await pages.open(url), await pages.open(url), await pages.open(url, olga)];
  await first.getByLabel('Write your name for “Clean up”').click();
  await first.getByLabel('Your name for “Clean up”').fill(MARKUP);
  await button(first, 'Sign up').click();
  await second.getByText(MARKUP).waitFor();
  expect(await second.getByRole('button', { name: /Take back|Remove/ }).count()).toBe(0);
  await expectReadable(first);
  const call = (body: object) => pages.callFunction('sign-up-sheet', body);
  const { lines } = (await call({ action: 'show' })).body.data;
  expect(JSON.stringify(lines)).not.toContain('key');
  const [full, mine] = [lines[3], lines[4].names.at(-1)];
  expect((await call({ action: 'join', line: full.id, name: 'Late' })).body.error).toBe('full');
  expect((await call({ action: 'leave', name: mine.id, keys: ['guess'] })).body.error).toBe('not_yours');
  expect((await call({ action: 'remove', line: full.id })).body.error).toBe('owner_only');
  const rush = await Promise.all(
    Array.from({ length: 8 }, (_, index) => call({ action: 'join', line: lines[4].id, name: `P${index}` })),
  );
  expect(rush.filter(({ body }) => body.success)).toHaveLength(lines[4].places - 1);
  await first.getByRole('button', { name: /^Take back/ }).click();
  await second.getByText(MARKUP).waitFor({ state: 'detached' });
  await owner.getByLabel('What is needed?').fill('Lemonade');
  await button(owner, 'Add').click();
  await second.getByRole('heading', { name: 'Lemonade' }).waitFor();
  expect((await stage.call('DELETE', `/api/pages/${id}/samples`, { token: olga.token })).status).toBe(200);
  expect((await call({ action: 'show' })).body.data.lines).toHaveLength(1);
});
