import { afterEach, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { watchComplaints } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import { deploy, open } from './deploy.ts';

/** The log of a function as its owner sees it, and its call statistics. */

const TALKER = `export default { async fetch(request) {
  const { say, level = 'log', times = 1, fail } = await request.json();
  for (let i = 1; i <= times; i++) console[level](say + (times > 1 ? ' ' + i : ''));
  if (fail) throw new Error(fail);
  return new Response('ok');
} }`;

let stage: Stage;
let owner: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  owner = await stage.register('olga-logs');
});
afterEach(closeTabs);

const say = (slug: string, body: Record<string, unknown>) =>
  stage.call('POST', `/api/functions/${slug}`, { body });

const entries = (tab: Page) => tab.getByRole('log').getByRole('listitem');

test('shows a line when it is logged, hostile text as text, and an exception with its stack folded', async () => {
  await deploy(stage, owner, 'talker', { code: TALKER });
  const tab = await stage.reuse(owner);
  const complaints = watchComplaints(tab);
  await open(stage, tab, '/talker/logs');
  await tab.getByText('No entries yet').waitFor();
  await tab.getByText('Live', { exact: true }).waitFor();

  await say('talker', { say: '<img src=x onerror="document.title=1">' });
  await entries(tab).getByText('<img src=x onerror="document.title=1">').waitFor();
  expect(await tab.getByRole('log').locator('img').count()).toBe(0);
  await entries(tab)
    .getByText(/^200 in/)
    .waitFor();

  await say('talker', { say: 'before', fail: 'went <b>wrong</b>' });
  const exception = entries(tab).filter({ hasText: 'Error: went <b>wrong</b>' });
  await exception.getByText('exception').waitFor();
  const stack = exception.getByText(/^\s*at /);
  expect(await stack.isVisible()).toBe(false);
  await exception.getByText('Stack').click();
  expect(await stack.isVisible()).toBe(true);
  await entries(tab).getByText('threw an exception').waitFor();
  expect(complaints).toEqual([]);
});

test('can be filtered, searched, paused and cleared', async () => {
  await deploy(stage, owner, 'chatty', { code: TALKER });
  await say('chatty', { say: 'apple' });
  await say('chatty', { say: 'banana', level: 'warn' });
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/chatty/logs');
  // Log lines and call results come one after the other.
  await waitUntil(async () => (await entries(tab).count()) === 4);

  await tab.getByLabel('Show').selectOption({ label: 'Warnings and errors' });
  expect(await entries(tab).allTextContents()).toEqual([expect.stringContaining('banana')]);
  await tab.getByLabel('Show').selectOption({ label: 'Calls' });
  expect(await entries(tab).count()).toBe(2);
  await tab.getByLabel('Show').selectOption({ label: 'Everything' });
  await tab.getByLabel('Search the log').fill('APPLE');
  expect(await entries(tab).count()).toBe(1);
  await tab.getByLabel('Search the log').fill('cherry');
  await tab.getByText('No entries found').waitFor();
  await tab.getByLabel('Search the log').fill('');

  await tab.getByRole('button', { name: 'Pause' }).click();
  await say('chatty', { say: 'while paused' });
  await tab.getByText('Paused, 2 new').waitFor();
  expect(await entries(tab).count()).toBe(4);
  await tab.getByRole('button', { name: 'Resume' }).click();
  await entries(tab).getByText('while paused').waitFor();

  await tab.getByRole('button', { name: 'Clear' }).click();
  await tab.getByText('No entries yet').waitFor();
  await say('chatty', { say: 'afterwards' });
  await entries(tab).getByText('afterwards').waitFor();
  expect(await entries(tab).getByText('while paused').count()).toBe(0);
});

test('scrolls with new entries unless the reader has scrolled up, and shows at most a thousand', async () => {
  await deploy(stage, owner, 'flood', { code: TALKER });
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/flood/logs');
  await tab.getByText('Live', { exact: true }).waitFor();
  for (let round = 1; round <= 7; round++) {
    await say('flood', { say: `round ${round}, line`, times: 150 });
    await entries(tab).getByText(`round ${round}, line 150`, { exact: true }).waitFor();
  }
  expect(await entries(tab).count()).toBe(1000);
  const box = tab.getByRole('log');
  const gap = () => box.evaluate((log) => log.scrollHeight - log.scrollTop - log.clientHeight);
  expect(await gap()).toBeLessThan(24);

  await box.evaluate((log) => {
    log.scrollTop = 0;
    log.dispatchEvent(new Event('scroll'));
  });
  await say('flood', { say: 'one more' });
  await entries(tab).getByText('one more').waitFor({ state: 'attached' });
  expect(await gap()).toBeGreaterThan(1000);
});

test('reconnects after the connection was lost, without showing an entry twice', async () => {
  await deploy(stage, owner, 'patient', { code: TALKER });
  await say('patient', { say: 'first' });
  const tab = await stage.reuse(owner);
  await tab.route('**/logs?follow=true**', (route) => route.abort());
  await open(stage, tab, '/patient/logs');
  await tab.getByText('Connection lost').waitFor();
  await tab.unroute('**/logs?follow=true**');
  await tab.getByText('Live', { exact: true }).waitFor();
  await say('patient', { say: 'second' });
  await entries(tab).getByText('second').waitFor();
  expect(await entries(tab).getByText('first').count()).toBe(1);
});

test('statistics count the calls and errors of the hour, as charts and as a table', async () => {
  await deploy(stage, owner, 'counted', { code: TALKER });
  const tab = await stage.reuse(owner);
  await open(stage, tab, '/counted/statistics');
  await tab.getByText('No calls in this period. Call the function to see them here.').waitFor();
  for (const fail of ['', '', '', 'x']) await say('counted', { say: 'hi', fail });
  await tab.getByRole('button', { name: '7 days' }).click();
  await tab.getByText('25%').waitFor();
  const chart = tab.getByRole('slider', { name: 'Calls per hour' });
  await chart.press('End');
  // The hour may have ended meanwhile.
  if (!(await chart.getAttribute('aria-valuetext'))?.includes('Calls 4')) await chart.press('ArrowLeft');
  expect(await chart.getAttribute('aria-valuetext')).toEndWith(': Calls 4, Errors 1');
  expect(await tab.locator('.chart').first().locator('tbody tr').count()).toBe(168);
  await tab.getByText('Show as a table').click();
  const table = tab.getByRole('region', { name: 'Calls per hour' });
  const cells = await table.getByRole('row').nth(1).getByRole('cell').allTextContents();
  expect(cells.slice(1, 3)).toEqual(['4', '1']);
  await tab.getByRole('button', { name: '30 days' }).click();
  await tab.getByText('Calls per day').first().waitFor();
  await tab.getByText('25%').waitFor();
});
