import { afterEach, expect, test } from 'bun:test';
import { lookForOverlaps } from '../../support/browser/look-for-overlaps.ts';
import { closeTabs, newContext } from '../../support/browser/stage.ts';

/** What the tests of overlaps find, and what they accept. */

afterEach(closeTabs);

const COVERED = `<div style="position: relative"><a href="/x">Covered</a>
<div class="cover" style="position: absolute; inset: 0; background: #ccc"></div></div>`;
const GAP = '<div style="height: 3000px"></div>';
const LONG_LIST = (inner: string) =>
  `<div class="list" style="height: 300px; overflow-y: auto">${GAP}${inner}</div>`;
const FIXED_BAR = '<nav class="bar" style="position: fixed; inset: auto 0 0; height: 60px">Bar</nav>';

test.each([
  ['at the top', COVERED, ['a "Covered" is covered by div.cover ""']],
  ['below the window', GAP + COVERED, ['a "Covered" is covered by div.cover ""']],
  ['at the end of a list', LONG_LIST(COVERED), ['a "Covered" is covered by div.cover ""']],
  [
    'at the end of a list below the window',
    GAP + LONG_LIST(COVERED),
    ['a "Covered" is covered by div.cover ""'],
  ],
  [
    'in a part that is drawn only when it is near',
    `${GAP}${GAP}<div style="content-visibility: auto; contain-intrinsic-size: 100px">${COVERED}</div>`,
    ['a "Covered" is covered by div.cover ""'],
  ],
  [
    'at the end of a screen, below a bar that stays',
    `${GAP}<a href="/x">Last</a>${FIXED_BAR}`,
    ['a "Last" stays below nav.bar "Bar"'],
  ],
  [
    'and scrolls out from below a bar that stays',
    `${GAP}<a href="/x">Last</a>${FIXED_BAR}<p style="height: 80px">`,
    [],
  ],
  [
    'and scrolls below a head that stays',
    `<header style="position: sticky; top: 0; height: 50px; background: #ccc">Head</header><a href="/x">One</a>${GAP}<a href="/x">Two</a>`,
    [],
  ],
  ['beside something else', `${GAP}<a href="/x">One</a> <button>Two</button>`, []],
])('what is %s', async (_, html, findings) => {
  const tab = await (await newContext({ viewport: { width: 600, height: 800 } })).newPage();
  await tab.setContent(`<!doctype html><body style="margin: 0">${html}`);
  expect(await tab.evaluate<string[]>(lookForOverlaps(true))).toEqual(findings);
  expect(await tab.evaluate<number>('scrollY')).toBe(0);
});
