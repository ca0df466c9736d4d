import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { seriousFindings } from '../../support/browser/accessibility.ts';
import { closeTabs, newContext } from '../../support/browser/stage.ts';

/** The tests of screens find every text that is hard to read, though they check texts that look alike only once. */

let tab: Page;
beforeAll(async () => {
  tab = await (await newContext()).newPage();
});
afterAll(closeTabs);

const STYLE = `
  body { background: white; color: black; font: 16px sans-serif; }
  .grey { color: #aaa; }
  .card { background: #333; color: white; width: 200px; height: 40px; }
  @media (prefers-color-scheme: dark) { .dim { color: #bbb; } }
  @media (max-width: 500px) { .narrow { color: #ccc; } }
`;

const show = (body: string) =>
  tab.setContent(`<!doctype html><html lang="en"><title>Texts</title><style>${STYLE}</style>${body}`);

/** The elements whose contrast is too low. */
async function found(): Promise<string[]> {
  return (await seriousFindings(tab, 'colors')).map((finding) => finding.split(': ')[1] ?? '');
}

const CASES: Array<[name: string, body: string, elements: string[]]> = [
  ['a text in a light color', '<p>One text</p><p id="a" class="grey">Another text</p>', ['#a']],
  [
    'each text of a look',
    '<p id="a" class="grey">One text</p><p id="b" class="grey">Another</p>',
    ['#a', '#b'],
  ],
  ['a text after one too short to judge', '<p class="grey">x</p><p id="a" class="grey">Text</p>', ['#a']],
  [
    'a text after one in a disabled button',
    '<button disabled class="grey" style="background:none">Text</button><p id="a" class="grey" style="font-size:13.3333px">Text</p>',
    ['#a'],
  ],
  [
    'a text on another background',
    '<p>Text</p><div style="background:#222"><p id="a">Text</p></div>',
    ['#a'],
  ],
  [
    'a text on a transparent box that is on a dark one',
    `<div style="background:#fff8;color:#555">Text</div>
     <div style="background:#222"><div id="a" style="background:#fff8;color:#555">Text</div></div>`,
    ['#a'],
  ],
  [
    'a text below something transparent',
    '<p>Text</p><div style="opacity:.3"><p id="a">Text</p></div>',
    ['#a'],
  ],
  [
    'a small text',
    '<p style="color:#888;font-size:30px">Text</p><p id="a" style="color:#888">Text</p>',
    ['#a'],
  ],
  [
    'a text above a box that is not around it',
    `<p>Text</p><div style="position:relative"><div class="card" style="position:absolute;top:0;left:0"></div>
     <p id="a" style="position:relative">Text</p></div>`,
    ['#a'],
  ],
  [
    'a field',
    '<input aria-label="A" value="Text"><input id="a" aria-label="B" value="Text" class="grey">',
    ['#a'],
  ],
];

for (const [name, body, elements] of CASES) {
  test(`finds ${name}`, async () => {
    await show(body);
    expect(await found()).toEqual(elements);
    // Nor is it considered good the second time.
    expect(await found()).toEqual(elements);
  });
}

test('finds a text that is hard to read only in dark mode, or only on a phone', async () => {
  await show('<p>Text</p><p id="a" class="dim">Text</p><p id="b" class="narrow">Text</p>');
  expect(await found()).toEqual([]);
  await tab.emulateMedia({ colorScheme: 'dark' });
  expect(await found()).toEqual(['#a']);
  await tab.emulateMedia({ colorScheme: 'light' });
  await tab.setViewportSize({ width: 390, height: 844 });
  expect(await found()).toEqual(['#b']);
});

test('checks a text of each look only once, whatever the document', async () => {
  await show('<p>Text</p>');
  expect(await found()).toEqual([]);
  await tab.evaluate(`(() => {
    const { run } = axe;
    window.checked = [];
    axe.run = (context, options) => {
      if (context.include) checked.push(context.include.length);
      return run(context, options);
    };
  })()`);
  const alike = '<p style="color:#123456">Text</p>';
  await show(alike.repeat(50));
  expect(await found()).toEqual([]);
  expect(await tab.evaluate('checked')).toEqual([1]);
  await show(`<main>${alike}</main>`);
  expect(await found()).toEqual([]);
  expect(await tab.evaluate('checked')).toEqual([1]);
});
