import { afterEach, beforeAll, expect, test } from 'bun:test';
import { follow } from '../../support/agents/llms.ts';
import { closeTabs, type Stage, sharedStage } from '../../support/browser/stage.ts';

/** The page that an agent makes with llms.txt works for people. */

let stage: Stage;
beforeAll(async () => {
  stage = await sharedStage('origin');
});
afterEach(closeTabs);

test('a visitor signs the guest book that an agent made from llms.txt alone', async () => {
  const { body: text } = await stage.call('GET', '/llms.txt');
  const steps = await follow(text);
  const url = steps.map(({ printed }) => /"url":"([^"]+)"/.exec(printed)?.[1]).find(Boolean) ?? '';

  const tab = await stage.enter();
  const complaints: string[] = [];
  tab.on('pageerror', (error) => complaints.push(error.message));
  await tab.goto(url);
  await tab.getByText('Ada: First!').waitFor();
  expect(await tab.textContent('h1')).toBe('Our guest book');

  await tab.fill('[name=name]', 'Grace');
  await tab.fill('[name=text]', '<img src=x onerror=alert(1)>');
  await tab.click('button');
  await tab.getByText('Grace: <img src=x onerror=alert(1)>').waitFor();
  expect(await tab.locator('#entries li').allTextContents()).toEqual([
    'Grace: <img src=x onerror=alert(1)>',
    'Bo: Second!',
    'Ada: First!',
  ]);
  expect(complaints).toEqual([]);
});
