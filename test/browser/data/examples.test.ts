import { afterEach, beforeAll, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { allowSpending, clickInDialog } from '../../support/browser/permission.ts';
import { closeTabs, logIn, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { environment } from '../../support/environment.ts';

/**
 * The example pages, published like an operator does, with two people side by side. Those with npm packages are in
 * application-examples.test.ts: this server cannot get packages.
 */

const MAIN = join(import.meta.dir, '../../../bin/launch.ts');
const OFF = 'The operator of this server has turned npm packages off.';
const SLUGS = ['contact', 'guestbook', 'link-shelf', 'studio', 'team-board', 'todo'].map(
  (name) => `example-${name}`,
);
const WITH_PACKAGES = ['board', 'digest', 'poll'];

let stage: Stage;
let olga: Person;
let ben: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  [olga, ben] = [await stage.register('olga-examples'), await stage.register('ben-examples')];
  const { output, exitCode } = await publish(stage.baseUrl, olga.token);
  expect({ output, exitCode }).toEqual({
    output: expectOutput('created'),
    exitCode: 0,
  });
});
afterEach(closeTabs);

/** One line for each example, in the order of their names. */
function expectOutput(action: string): string {
  const lines = [
    ...SLUGS.map((slug) => [slug, `${action.padEnd(10)} ${stage.baseUrl}/p/${slug}\n`]),
    ...WITH_PACKAGES.map((name) => [`example-${name}`, `left out   ${name}: ${OFF}\n`]),
  ];
  return lines
    .sort()
    .map(([, line]) => line)
    .join('');
}

async function publish(...args: string[]): Promise<{ output: string; exitCode: number }> {
  const child = Bun.spawn([process.execPath, MAIN, 'examples', ...args], {
    // Not the login of the person who runs the tests.
    env: { ...environment, XDG_CONFIG_HOME: '/nowhere' },
    stderr: 'pipe',
    stdin: 'ignore',
  });
  const [output, errors] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ]);
  return { output: output + errors, exitCode: await child.exited };
}

/** A person's tab on an example. Also collects its script errors. */
async function open(name: string, person?: Person): Promise<Page & { mistakes: string[] }> {
  const tab = await stage.enter(person);
  const mistakes: string[] = [];
  tab.on('pageerror', (error) => mistakes.push(error.message));
  await tab.goto(`${stage.baseUrl}/p/example-${name}`);
  await tab.locator('#loading').waitFor({ state: 'hidden' });
  return Object.assign(tab, { mistakes });
}

test('publishing again finds the existing pages and creates no others', async () => {
  const { output } = await publish(stage.baseUrl, olga.token);
  expect(output).toBe(expectOutput('unchanged'));
  const { body } = await stage.call('GET', '/api/pages', { token: olga.token });
  expect(body.total).toBe(SLUGS.length);
  for (const { id } of body.pages) {
    const page = await stage.call('GET', `/api/pages/${id}`, { token: olga.token });
    expect(page.body.versionCount).toBe(1);
  }
});

test("someone else's examples get their own slugs, but share the function", async () => {
  const cleo = await stage.register('cleo-examples');
  const { output, exitCode } = await publish(stage.baseUrl, cleo.token);
  expect(exitCode).toBe(3);
  expect(output).toContain('/p/example-guestbook-2');
  expect(output).toContain('The function example-link-shelf');
});

test('the command reports a problem in one line', async () => {
  expect(await publish(stage.baseUrl, 'qr_wrong')).toEqual({
    output: expect.stringMatching(/^[^\n]*token[^\n]*\n$/),
    exitCode: 3,
  });
  expect(await publish('http://127.0.0.1:1', 'token')).toEqual({
    output: 'Cannot connect to http://127.0.0.1:1.\n',
    exitCode: 6,
  });
  expect((await publish()).exitCode).toBe(3);
  expect((await publish(stage.baseUrl)).exitCode).toBe(2);
});

test('todo: a private list, the same in every tab', async () => {
  const guest = await open('todo');
  await guest.getByRole('button', { name: 'Log in to start' }).click();
  await guest.waitForURL('**/login?next=*');
  await logIn(guest, ben);
  await guest.getByRole('heading', { name: 'Nothing here yet' }).waitFor();

  const [first, second] = [await open('todo', olga), await open('todo', olga)];
  await first.getByLabel('What needs to be done?').fill('Water the plants');
  await first.keyboard.press('Enter');
  await second.getByRole('checkbox', { name: 'Water the plants' }).check();
  await first.locator('li.done').waitFor();
  await first.getByRole('button', { name: 'Edit “Water the plants”' }).click();
  await first.getByLabel('Text').fill('Water the ferns');
  await first.keyboard.press('Enter');
  await second.getByRole('checkbox', { name: 'Water the ferns' }).waitFor();
  await second.getByRole('button', { name: 'Clear done' }).click();
  await first.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
  expect(await guest.getByRole('listitem').count()).toBe(0);
  expect([...first.mistakes, ...second.mistakes, ...guest.mistakes]).toEqual([]);
});

test('guestbook: a note appears for everyone, and only its author can change it', async () => {
  const [writer, guest] = [await open('guestbook', ben), await open('guestbook')];
  await guest.getByRole('heading', { name: 'The first page is blank' }).waitFor();
  await writer.getByLabel('Your note').fill('Hello from <b>me</b>');
  await writer.getByLabel('Mint').check();
  await writer.getByRole('button', { name: 'Sign' }).click();
  const note = guest.getByRole('article', { name: 'Note by ben-examples' });
  await note.getByText('Hello from <b>me</b>').waitFor();
  expect(await guest.getByRole('button', { name: 'Edit' }).count()).toBe(0);
  await writer.getByRole('button', { name: 'Edit' }).click();
  await writer.locator('.note textarea').fill('Hello again');
  await writer.getByRole('button', { name: 'Save' }).click();
  await note.getByText('Hello again').waitFor();
  writer.on('dialog', (dialog) => void dialog.accept());
  await writer.getByRole('button', { name: 'Delete' }).click();
  await guest.getByRole('heading', { name: 'The first page is blank' }).waitFor();
  expect([...writer.mistakes, ...guest.mistakes]).toEqual([]);
});

test('team board: members join with a link, work side by side, and can do what their role allows', async () => {
  const stranger = await open('team-board', ben);
  await stranger.getByRole('heading', { name: 'You are not on this team yet' }).waitFor();

  const owner = await open('team-board', olga);
  await owner.getByRole('button', { name: 'People' }).click();
  await owner.getByRole('button', { name: 'Create link' }).click();
  await owner.locator('#made').waitFor();
  await stranger.goto(await owner.getByLabel('Invite link').inputValue());
  await stranger.getByRole('button', { name: 'Join' }).click();
  const member = stranger;
  await member.getByLabel('Add a card to Doing').waitFor();
  await owner.getByRole('button', { name: 'Close' }).click();
  await owner.getByRole('list', { name: 'Online now' }).getByText('ben-examples').waitFor();

  await owner.getByLabel('Add a card to To do').fill('Order chairs');
  await owner.keyboard.press('Enter');
  const inDoing = (tab: Page) => tab.getByRole('region', { name: 'Doing' });
  await member.getByRole('button', { name: 'Order chairs', exact: true }).waitFor();
  await member.getByLabel('Add a card to To do').fill('Find a hall');
  await member.keyboard.press('Enter');
  await member.getByRole('button', { name: 'Move “Find a hall” to Doing' }).click();
  await inDoing(owner).getByRole('button', { name: 'Find a hall', exact: true }).waitFor();

  // A rule lets members move each other's cards, but not delete them.
  await member.getByRole('button', { name: 'Move “Order chairs” to Doing' }).click();
  await inDoing(owner).getByRole('button', { name: 'Order chairs', exact: true }).waitFor();
  await inDoing(member).getByRole('button', { name: 'Order chairs', exact: true }).click();
  expect(await member.getByLabel('Title').isDisabled()).toBe(false);
  expect(await member.getByRole('button', { name: 'Delete' }).count()).toBe(0);
  expect([...owner.mistakes, ...stranger.mistakes]).toEqual([]);
});

test('link shelf: a link can be added, liked and seen by the next visitor', async () => {
  const tab = await open('link-shelf');
  await tab.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
  await tab.getByLabel('URL of the link').fill('http://127.0.0.1:1/paths');
  await tab.getByRole('button', { name: 'Add', exact: true }).click();
  await tab.getByLabel('Title').fill('Desire paths');
  await tab.getByRole('button', { name: 'Add link' }).click();
  await tab.getByRole('button', { name: '0 likes, like “Desire paths”' }).click();
  await tab.getByRole('button', { name: '1 like, like “Desire paths”' }).waitFor();
  const other = await open('link-shelf');
  await other.getByRole('link', { name: 'Desire paths' }).waitFor();
  await other.getByRole('button', { name: 'To watch' }).click();
  await other.getByRole('heading', { name: 'Nothing here yet' }).waitFor();
  await tab.getByLabel('URL of the link').fill('javascript:alert(1)');
  await tab.getByRole('button', { name: 'Add', exact: true }).click();
  await tab.getByText('That is not a web address.').waitFor();
  expect([...tab.mistakes, ...other.mistakes]).toEqual([]);
});

test('studio: after one consent it can chat, make images, search images, describe an image and publish itself', async () => {
  const tab = await open('studio', ben);
  await tab.getByRole('button', { name: 'A poster for a street party' }).click();
  await clickInDialog(tab, 'Cancel');
  await tab.getByText('you have not allowed this page').waitFor();
  const opened = tab.context().waitForEvent('page');
  await tab.getByRole('button', { name: 'Try again' }).click();
  await clickInDialog(tab, 'Continue in a new tab');
  const consent = await opened;
  await consent.getByLabel('It may publish pages in my name').check();
  await Promise.all([consent.waitForEvent('close'), allowSpending(consent)]);
  await tab.evaluate('void dispatchEvent(new Event("focus"))');
  await tab
    .getByRole('list', { name: 'Conversation' })
    .getByText('street party in the rain')
    .nth(1)
    .waitFor();
  await tab.getByText('19.9 credits left').waitFor();
  await tab.getByText('built-in demo provider').waitFor();

  await tab.getByLabel('What the image shows').fill('A paper boat');
  await tab.getByRole('button', { name: 'Create', exact: true }).click();
  expect(await readWidth(tab, 'A paper boat')).toBeGreaterThan(0);
  await tab.getByText('Find images').click();
  await tab.getByLabel('Search for').fill('Tide pools');
  await tab.getByRole('button', { name: 'Find', exact: true }).click();
  expect(await readWidth(tab, 'Tide pools (demo picture 9)')).toBeGreaterThan(0);
  await tab.getByText('Ask about an image').click();
  const buffer = Buffer.from(RED_DOT, 'base64');
  await tab.locator('#file').setInputFiles({ name: 'dot.png', mimeType: 'image/png', buffer });
  await tab.getByRole('button', { name: 'Ask', exact: true }).click();
  await tab.getByText('its main colours are red').waitFor();
  await tab.getByLabel('Name of your copy').fill('Studio of Ben');
  await tab.getByRole('button', { name: 'Publish' }).click();
  await tab.getByRole('link', { name: '/p/studio-of-ben' }).waitFor();
  expect(tab.mistakes).toEqual([]);
});

const RED_DOT =
  'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAICAIAAABLbSncAAAAEUlEQVR42mO4pKyMFTEMLQkAhh1GASP9g/oAAAAASUVORK5CYII=';

/** The real width of the image with this name, once it is loaded. */
function readWidth(tab: Page, name: string): Promise<number> {
  return tab.getByRole('img', { name, exact: true }).evaluate(async (element: unknown) => {
    const image = element as { decode(): Promise<void>; naturalWidth: number };
    await image.decode();
    return image.naturalWidth;
  });
}
