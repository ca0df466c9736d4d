import { afterAll, expect, test } from 'bun:test';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findNeighbours, makeNavigation } from './navigation.ts';
import { renderDocument } from './render.ts';
import { searchIndex } from './search/titles.ts';
import { fillShelf } from './shelf.ts';

/** A PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==',
  'base64',
);

const folder = mkdtempSync(join(tmpdir(), 'quire-shelf-'));
afterAll(() => rmSync(folder, { recursive: true }));
for (const room of ['decisions', 'pictures', 'drafts']) mkdirSync(join(folder, room));
for (const [name, text] of Object.entries({
  'pages.md': '# Pages\n\ncurl http://localhost:3000/p/x and http://localhost:30001',
  'zebra.md': '# The `zebra`\n\n## Stripes & `<b>`\n\n```\n## not one\n```\n\n### Deep\n',
  'quick-start.md': '# Quick start\n',
  'decisions/0001-first.md': '# First\n',
  'drafts/secret.md': '# Secret\n',
  'notes.txt': 'no document',
})) {
  writeFileSync(join(folder, name), text);
}
for (const name of ['screen', 'lit', 'lit-dark']) writeFileSync(join(folder, `pictures/${name}.png`), PIXEL);

const shelf = fillShelf(folder, 'https://quire.example');
const render = (markdown: string, name = 'pages') => renderDocument(name, markdown, shelf);

test('serves documents, decisions and pictures, and nothing else', () => {
  expect([...shelf.documents.keys()].sort()).toEqual([
    'decisions/0001-first',
    'pages',
    'quick-start',
    'zebra',
  ]);
  expect([...shelf.pictures.keys()].sort()).toEqual(['lit-dark.png', 'lit.png', 'screen.png']);
});

test("the example address becomes the server's own, and no other does", () => {
  const text = shelf.documents.get('pages')?.markdown;
  expect(text).toContain('https://quire.example/p/x');
  expect(text).toContain('http://localhost:30001');
});

test('named documents are in order, missing ones are left out, and the rest comes last', () => {
  const sections = makeNavigation(shelf);
  expect(sections.map(({ title, links }) => [title, links.map(({ href }) => href)])).toEqual([
    ['Start', ['/docs/quick-start']],
    ['Build', ['/docs/pages']],
    ['Reference', ['/docs/api']],
    ['More', ['/docs/zebra']],
    ['Decisions', ['/docs/decisions/0001-first']],
  ]);
  expect(sections[3]?.links[0]?.title).toBe('The zebra');
  expect(findNeighbours(sections, '/docs/api')).toEqual({
    previous: expect.objectContaining({ title: 'Pages' }),
    next: expect.objectContaining({ title: 'The zebra' }),
  });
  expect(findNeighbours(sections, '/docs')).toEqual({});
});

test.each([
  ['zebra.md', 'pages', '/docs/zebra'],
  ['zebra.md#stripes', 'pages', '/docs/zebra#stripes'],
  ['decisions/0001-first.md', 'pages', '/docs/decisions/0001-first'],
  ['../pages.md#a', 'decisions/0001-first', '/docs/pages#a'],
  ['decisions', 'pages', '/docs#decisions'],
  ['#here', 'pages', '#here'],
  ['/docs/api', 'pages', '/docs/api'],
  ['https://example.com/a.md', 'pages', 'https://example.com/a.md'],
])('the link %s in %s leads to %s', (href, name, expected) => {
  expect(render(`[text](${href})`, name).body).toContain(`<a href="${expected}">text</a>`);
});

test.each(['../CHANGELOG.md', 'drafts/secret.md', 'nothing.md', '../examples/x/index.html'])(
  'a link to %s, which is not served, becomes text',
  (href) => {
    expect(render(`See [text](${href}).`).body.trim()).toBe('<p>See text.</p>');
  },
);

test('the search index has titles and headings with their anchors, and no decisions', () => {
  const { documents } = searchIndex(makeNavigation(shelf), shelf);
  expect(documents.map(({ href }) => href)).toEqual([
    '/docs/quick-start',
    '/docs/pages',
    '/docs/api',
    '/docs/zebra',
  ]);
  expect(documents[0]?.about).toContain('ten minutes');
  const markdown = shelf.documents.get('zebra')?.markdown ?? '';
  expect(documents[3]?.headings).toEqual([
    { id: render(markdown, 'zebra').headings[0]?.id ?? '', title: 'Stripes & <b>' },
    { id: 'deep', title: 'Deep' },
  ]);
});

test('headings have anchors, also two with the same name', () => {
  const { body, headings } = render('# Title\n\n## A `b` & c\n\n### Deep\n\n## A b c\n');
  expect(headings).toEqual([
    { id: 'a-b-c', text: 'A b &amp; c' },
    { id: 'a-b-c-1', text: 'A b c' },
  ]);
  expect(body).not.toContain('Title');
  expect(body).toContain('<h3 id="deep"><a href="#deep">Deep</a></h3>');
});

test('a picture has its size, and a dark version if there is one', () => {
  const { body } = render('![A screen](pictures/screen.png) ![Lit](pictures/lit.png)');
  expect(body).toMatch(
    /<img src="\/docs\/pictures\/screen\.png\?v=[\w-]{12}" alt="A screen" width="1" height="1" loading="lazy">/,
  );
  expect(body).toMatch(/<picture><source srcset="\/docs\/pictures\/lit-dark\.png\?v=[\w-]{12}" media="/);
  expect(() => render('![x](pictures/nothing.png)')).toThrow('nothing.png');
});

test('wide content scrolls by itself, and scripts stay text', () => {
  const { body } = render('| a |\n|---|\n| b |\n\n```sh\nx\n```\n\n<script>alert(1)</script>\n');
  expect(body).toContain('<div class="scroll" tabindex="0" role="group" aria-label="Table"><table>');
  expect(body).toContain('<pre tabindex="0">');
  expect(body).not.toContain('<script');
});
