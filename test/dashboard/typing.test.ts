import { afterEach, beforeAll, expect, test } from 'bun:test';
import { closeTabs, type Person, type Stage, sharedStage } from '../support/browser/stage.ts';

/** The editors contain exactly what is typed: nothing is added or lost. */

let stage: Stage;
let ada: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  ada = await stage.register('ada-typing');
});
afterEach(closeTabs);

const HTML =
  '<h1>Hi</h1>\n<p class="a">Text</p>\n<ul>\n<li>one</li>\n</ul>\n<script>\nlet number = 1;\n</script>';

test('HTML typed with its closing tags has each of them once', async () => {
  const { id } = await stage.publish(ada, '<!doctype html>', { name: 'Typed' });
  const page = await stage.reuse(ada);
  await page.goto(`${stage.baseUrl}/pages/${id}`);
  const editor = page.getByRole('textbox').first();
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type(HTML, { delay: 5 });
  await page.getByRole('button', { name: 'Publish', exact: true }).click();
  await page.getByText('Live · version 2').waitFor();
  const answer = await stage.call('GET', `/api/pages/${id}`, { token: ada.token });
  expect(answer.body.page.html_content.replace(/^ +/gm, '')).toBe(HTML);
});

test('SQL typed over several lines keeps its line breaks', async () => {
  const slug = 'typed-sql';
  const code = 'export default { fetch: () => new Response() }';
  await stage.call('POST', '/api/functions', {
    token: ada.token,
    body: { slug, code, enableDatabase: true },
  });
  const page = await stage.reuse(ada);
  await page.goto(`${stage.baseUrl}/functions/${slug}/database`);
  await page.getByRole('link', { name: 'SQL' }).click();
  const editor = page.getByRole('textbox', { name: 'SQL' });
  await editor.click();
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.press('Delete');
  await page.keyboard.type('select 1 as n\nfrom sqlite_master n', { delay: 5 });
  await page.keyboard.press('Enter');
  await page.keyboard.type('where n = 1', { delay: 5 });
  const lines = await editor.locator('.cm-line').allTextContents();
  expect(lines.map((line) => line.trim())).toEqual(['select 1 as n', 'from sqlite_master n', 'where n = 1']);
});
