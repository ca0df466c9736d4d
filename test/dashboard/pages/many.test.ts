import { afterEach, beforeAll, expect, test } from 'bun:test';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';

/** The list of a user with hundreds of pages. */

/** Five times what the list reads in one request. */
const PAGES = 300;
const AT_ONCE = 20;

let stage: Stage;
let person: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  person = await stage.register('prolific');
  for (let at = 0; at < PAGES; at += AT_ONCE) {
    const batch = Array.from({ length: AT_ONCE }, (_, each) =>
      stage.publish(person, '<!doctype html><p>Hello', { name: `Page ${at + each}` }),
    );
    await Promise.all(batch);
  }
});
afterEach(closeTabs);

test('all 300 pages appear while scrolling, each once', async () => {
  const tab = await stage.enter(person);
  await tab.addInitScript(`
    window.tasks = [];
    window.shift = 0;
    new PerformanceObserver((list) => tasks.push(...list.getEntries().map((entry) => Math.round(entry.duration)))).observe({ type: 'longtask', buffered: true });
    new PerformanceObserver((list) => { for (const entry of list.getEntries()) if (entry.sources.some(({ node }) => node?.closest?.('.page-card'))) shift += entry.value; }).observe({ type: 'layout-shift', buffered: true });
  `);
  await tab.goto(`${stage.baseUrl}/pages`);
  await tab.getByText('300 pages', { exact: true }).waitFor();
  await tab.evaluate('tasks.length = 0');
  const cards = tab.getByRole('main').getByRole('listitem');
  await tab.mouse.move(700, 500);
  for (let seen = 0; seen < PAGES; ) {
    await tab.mouse.wheel(0, 4_000);
    // Counts in the cheapest way, so that counting is not what is measured.
    seen = await tab.evaluate(
      'new Promise(requestAnimationFrame).then(() => document.getElementsByClassName("page-card").length)',
    );
  }
  const { tasks, shift } = (await tab.evaluate('({ tasks, shift })')) as { tasks: number[]; shift: number };
  expect(await cards.count()).toBe(PAGES);
  const names = await tab.getByRole('main').locator('.name').allTextContents();
  expect(new Set(names).size).toBe(PAGES);
  console.log(
    `long tasks while scrolling through ${PAGES} pages, in ms: ${tasks.join(' ') || 'none'}; layout shift ${shift}`,
  );
  expect(shift).toBe(0);
});

test('a button loads more for users who do not scroll', async () => {
  const tab = await stage.enter(person);
  // A window so small that the observer notices nothing.
  await tab.addInitScript('window.IntersectionObserver = class { observe() {} disconnect() {} }');
  await tab.goto(`${stage.baseUrl}/pages`);
  const cards = tab.getByRole('main').getByRole('listitem');
  await cards.nth(59).waitFor();
  await tab.getByRole('button', { name: 'Load more' }).press('Enter');
  await cards.nth(119).waitFor();
  expect(await cards.count()).toBe(120);
});
