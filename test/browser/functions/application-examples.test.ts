import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expectReadable, overflows } from '../../support/browser/accessibility.ts';
import { closeTabs, openStage, type Person, type Stage } from '../../support/browser/stage.ts';
import { environment } from '../../support/environment.ts';
import { installedPackage } from '../../support/functions/installed-package.ts';
import { type NpmRegistry, startNpmRegistry } from '../../support/functions/npm-registry.ts';

/** The examples with a TypeScript function and npm packages, each in two browsers at once. */

const ROOT = join(import.meta.dir, '../../..');

let copies: string;
let registry: NpmRegistry;
let stage: Stage;
let olga: Person;
let ben: Person;
beforeAll(async () => {
  copies = mkdtempSync(join(tmpdir(), 'quire-examples-'));
  registry = startNpmRegistry();
  registry.add(installedPackage('zod'), installedPackage('hono'));
  stage = await openStage('origin', {
    QUIRE_NPM_REGISTRY: registry.url,
    QUIRE_FUNCTION_CALLS_PER_MINUTE: '0',
  });
  [olga, ben] = [await stage.register('olga'), await stage.register('ben')];
});
afterEach(closeTabs);
afterAll(async () => {
  await stage.close();
  await registry.stop();
  rmSync(copies, { recursive: true });
});

/** Publishes one example with one command, which adds a file to its folder. */
async function push(name: string): Promise<void> {
  const folder = join(copies, name);
  cpSync(join(ROOT, 'examples', name), folder, { recursive: true });
  await quire('pages', 'push', folder);
}

async function quire(...args: string[]): Promise<void> {
  const child = Bun.spawn([process.execPath, join(ROOT, 'bin/launch.ts'), ...args], {
    env: {
      ...environment,
      XDG_CONFIG_HOME: '/nowhere',
      QUIRE_URL: stage.baseUrl,
      QUIRE_TOKEN: olga.token,
    },
    stderr: 'pipe',
    stdin: 'ignore',
  });
  const errors = await new Response(child.stderr).text();
  expect({ errors, code: await child.exited }).toEqual({ errors: expect.any(String), code: 0 });
}

/** A tab on an example, with its script errors. */
async function open(name: string, person?: Person): Promise<Page & { mistakes: string[] }> {
  const tab = await stage.enter(person);
  const mistakes: string[] = [];
  tab.on('pageerror', (error) => mistakes.push(error.message));
  await tab.goto(`${stage.baseUrl}/p/example-${name}`);
  await tab.locator('#loading').waitFor({ state: 'hidden' });
  return Object.assign(tab, { mistakes });
}

test('poll: everyone has one vote and sees the results at once', async () => {
  await push('poll');
  const [first, second, guest] = [await open('poll', olga), await open('poll', ben), await open('poll')];
  await first.getByText('3 people here').waitFor();
  await first.getByRole('radio', { name: /At the lake/ }).check();
  await second.getByText('1 vote', { exact: true }).first().waitFor();
  await second.getByRole('radio', { name: /On a boat/ }).check();
  await first.getByRole('radio', { name: /On a boat.*50%/ }).waitFor();

  // A second vote replaces the first, also in another tab.
  const again = await open('poll', olga);
  expect(await again.getByRole('radio', { name: /At the lake/ }).isChecked()).toBe(true);
  await guest.context().setOffline(true);
  await again.getByRole('radio', { name: /On a boat/ }).check();
  await again.getByText('100%').waitFor();
  await guest.context().setOffline(false);
  await guest.getByText('100%').waitFor();
  await guest.getByText('2 votes').first().waitFor();

  expect(await guest.getByRole('radio').count()).toBe(0);
  const forged = await fetch(`${stage.baseUrl}/api/functions/example-poll`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-quire-user-id': '999' },
    body: JSON.stringify({ action: 'vote', option: 'lake' }),
  });
  expect([forged.status, await forged.json()]).toEqual([401, { success: false, error: 'Log in to vote.' }]);
  // Only the function can publish results.
  await guest.evaluate(`PageLive.channel('votes').send({ lake: 500 })`);
  await guest.evaluate(`PageLive.channel('votes').presence()`);
  expect(await first.getByText('500').count()).toBe(0);

  await expectReadable(guest);
  await expectReadable(first);
  expect([...(await overflows(first)), ...(await overflows(guest))]).toEqual([]);
  expect([...first.mistakes, ...second.mistakes, ...guest.mistakes]).toEqual([]);
});

test('board: two people move the same notes and see the cursor of the other', async () => {
  await push('board');
  const [first, second] = [await open('board', olga), await open('board', ben)];
  await first.getByRole('list', { name: 'People here' }).getByText('ben').waitFor();
  await first.getByRole('button', { name: 'Add a mint note' }).click();
  await first.getByLabel('Text of the note').fill('Ask Mei <b>today</b>');
  await first.keyboard.press('Enter');
  const note = (tab: Page) => tab.getByRole('listitem').filter({ hasText: 'Ask Mei <b>today</b>' });
  await note(second).waitFor();

  // With the mouse: the other sees it while it moves, and where it was put down.
  const before = await readPosition(note(first));
  await hold(second, note(second), 150, 90);
  await first.locator('.cursor', { hasText: 'ben' }).waitFor();
  await waitForPlace(note(first), { x: before.x + 150, y: before.y + 90 });
  await second.mouse.up();
  // With the keyboard.
  await note(first).focus();
  const stored = first.waitForResponse('**/api/functions/example-board');
  await first.keyboard.press('ArrowRight');
  await waitForPlace(note(second), { x: before.x + 174, y: before.y + 90 });
  await stored;

  const third = await open('board');
  expect(await readPosition(note(third))).toEqual({ x: before.x + 174, y: before.y + 90 });
  expect(await note(second).getByRole('button', { name: 'Remove' }).count()).toBe(0);
  await expectReadable(first);
  await expectReadable(third);
  await note(first).getByRole('button', { name: 'Remove' }).click();
  await second.getByRole('heading', { name: 'An empty board' }).waitFor();
  await second.close();
  await first.getByRole('list', { name: 'People here' }).getByText('ben').waitFor({ state: 'detached' });
  expect(await first.locator('.cursor', { hasText: 'ben' }).count()).toBe(0);
  expect(await overflows(third)).toEqual([]);
  expect([...first.mistakes, ...second.mistakes, ...third.mistakes]).toEqual([]);
});

test('digest: the notes of a team become a digest when its schedule runs', async () => {
  await push('digest');
  const stranger = await open('digest', ben);
  await stranger.getByRole('heading', { name: 'You are not on this team yet' }).waitFor();
  await expectReadable(stranger);
  const invite = await stage.call('POST', '/api/pages/example-digest/team/invite', {
    token: olga.token,
    body: { role: 'member' },
  });
  await stranger.goto(invite.body.inviteUrl);
  await stranger.getByRole('button', { name: 'Join' }).click();
  const member = stranger;
  await member.getByRole('heading', { name: 'No digest yet' }).waitFor();
  const owner = await open('digest', olga);

  await owner.getByLabel('What happened?').fill('Signed the contract');
  await owner.getByRole('button', { name: 'Add note' }).click();
  await member.getByText('Signed the contract').waitFor();
  await member.getByLabel('What happened?').fill('Ordered <b>chairs</b>');
  await member.getByRole('button', { name: 'Add note' }).click();
  await owner.getByText('Ordered <b>chairs</b>').waitFor();
  await owner.getByRole('button', { name: 'Settings' }).click();
  await owner.getByLabel('Name of the digest').fill('The evening paper');
  await owner.getByRole('button', { name: 'Save' }).click();
  await owner.getByText('Saved.').waitFor();
  expect(await member.getByRole('button', { name: 'Settings' }).count()).toBe(0);

  const { body } = await stage.call('GET', '/api/functions/example-digest', { token: olga.token });
  expect(body.schedules).toMatchObject([{ cron: '0 22 * * *', timezone: 'UTC' }]);
  await quire('functions', 'run', 'example-digest');
  for (const tab of [member, owner]) {
    const paper = tab.getByRole('article').filter({ hasText: 'The evening paper' });
    await paper.getByText('2 notes from 2 people.').waitFor();
    await paper.getByText('Ordered <b>chairs</b>').waitFor();
    await tab.getByRole('list', { name: 'Notes for the next digest' }).getByRole('listitem').waitFor({
      state: 'detached',
    });
  }
  // Only the team gets an answer.
  const outside = await stage.call('POST', '/api/functions/example-digest', { body: { action: 'show' } });
  expect(outside.status).toBe(403);
  await expectReadable(member);
  expect(await overflows(owner)).toEqual([]);
  expect([...owner.mistakes, ...member.mistakes]).toEqual([]);
});

interface Point {
  x: number;
  y: number;
}
type Note = ReturnType<Page['getByRole']>;

/** Where a note is on the board, wherever that is in the window. */
function readPosition(note: Note): Promise<Point> {
  return note.evaluate((element: unknown) => {
    const { transform } = (element as { style: { transform: string } }).style;
    const [x = 0, y = 0] = (transform.match(/-?\d+/g) ?? []).map(Number);
    return { x, y };
  });
}

async function waitForPlace(note: Note, { x, y }: Point): Promise<void> {
  await note.and(note.page().locator(`[style*="translate(${x}px, ${y}px)"]`)).waitFor();
}

/** Moves a note with the mouse, and does not put it down. */
async function hold(tab: Page, note: Note, dx: number, dy: number): Promise<void> {
  const box = await note.boundingBox();
  if (!box) throw new Error('the note is not on the screen');
  const [x, y] = [box.x + 60, box.y + 50];
  await tab.mouse.move(x, y);
  await tab.mouse.down();
  await tab.mouse.move(x + dx, y + dy, { steps: 5 });
}
