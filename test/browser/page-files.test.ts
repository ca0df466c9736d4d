import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { closeTabs, type Person, type Published, type Stage, sharedStage } from './stage.ts';

/** A site of several files, as a folder on a computer: everything in it loads, wherever the page is. */

const FONT = join(import.meta.dir, '../../server/platform/pictures/card/fonts/noto-sans-bengali-400.woff2');
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const nav =
  '<a id="home" href="./">Home</a> <a id="about" href="about">About</a> <a id="docs" href="docs/">Docs</a>';
const SITE = {
  'index.html': `<!doctype html><title>Loading</title><link rel="icon" href="favicon.ico">
    <link rel="stylesheet" href="css/style.css"><h1>Home</h1>${nav}<img src="img/pixel.png" alt="">
    <script type="module" src="js/main.js"></script>`,
  'about.html': `<!doctype html><title>About</title><h1>About</h1>${nav}`,
  'docs/index.html':
    '<!doctype html><title>Docs</title><h1>Docs</h1><a id="up" href="../">Home</a><img src="../img/pixel.png" alt="">',
  '404.html': '<!doctype html><title>Lost</title><h1>Lost</h1>',
  'css/style.css': `@font-face { font-family: Site; src: url(../fonts/site.woff2) }
    h1 { color: rgb(1, 2, 3); font-family: Site }`,
  'js/main.js': `import { name } from './lib/name.js';
    const { colour } = await (await fetch('data.json')).json();
    await document.fonts.load('20px Site', '\\u0995');
    await Promise.all([...document.images].map((image) => image.decode()));
    window.found = {
      name, colour,
      fonts: [...document.fonts].map(({ status }) => status),
      images: [...document.images].map(({ naturalWidth }) => naturalWidth),
      style: getComputedStyle(document.querySelector('h1')).color,
      user: (await PageUser.current())?.username ?? null,
    };
    document.title = 'Ready';`,
  'js/lib/name.js': `export const name = 'a module';`,
  'data.json': '{"colour":"teal"}',
  'img/pixel.png': PIXEL,
  'favicon.ico': PIXEL,
};

async function putFiles(stage: Stage, owner: Person, { id }: Published): Promise<void> {
  const form = new FormData();
  for (const [path, content] of Object.entries(SITE)) form.append(path, new File([content], path));
  form.append('fonts/site.woff2', new File([await Bun.file(FONT).bytes()], 'fonts/site.woff2'));
  const address = `${stage.baseUrl}/api/pages/${id}/files`;
  const headers = { authorization: `Bearer ${owner.token}` };
  const response = await fetch(address, { method: 'PUT', headers, body: form });
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
}

/** What the site's script has seen, once everything has loaded. */
async function found(tab: Page): Promise<unknown> {
  await tab.waitForFunction("document.title === 'Ready'");
  return tab.evaluate('window.found');
}

const FOUND = {
  name: 'a module',
  colour: 'teal',
  fonts: ['loaded'],
  images: [1],
  style: 'rgb(1, 2, 3)',
  user: null as string | null,
};

afterEach(closeTabs);

describe.each(['origin', 'sandbox'] as const)('in %s isolation', (setting) => {
  let stage: Stage;
  let owner: Person;
  let page: Published;
  beforeAll(async () => {
    stage = await sharedStage(setting);
    owner = await stage.register('olga-files');
    page = await stage.publish(owner, '<p>', { name: 'Folder' });
    await putFiles(stage, owner, page);
  });

  test('images, styles, fonts, modules and data of a site load, and its documents link to each other', async () => {
    const tab = await stage.reuse();
    const failed: string[] = [];
    tab.on('response', (response) => void (response.status() >= 400 && failed.push(response.url())));
    await tab.goto(page.url);
    const root = page.address.replace(/\/?$/, '/');
    expect(tab.url()).toBe(root);
    expect(await found(tab)).toEqual(FOUND);
    await tab.click('#about');
    await tab.waitForURL(`${root}about`);
    expect(await tab.evaluate('[document.title, typeof PageUser]')).toEqual(['About', 'object']);
    await tab.click('#docs');
    await tab.waitForURL(`${root}docs/`);
    expect(
      await tab.evaluate('document.images[0].decode().then(() => document.images[0].naturalWidth)'),
    ).toBe(1);
    await tab.click('#up');
    await tab.waitForURL(root);
    expect(failed).toEqual([]);
    const lost = await tab.goto(`${root}no/such/file`);
    expect([lost?.status(), await tab.title()]).toEqual([404, 'Lost']);
  });

  test('a draft loads for its owner, with its files, and for nobody else', async () => {
    const draft = await stage.publish(owner, '<p>', { name: 'Draft folder', is_published: false });
    await putFiles(stage, owner, draft);
    const tab = await stage.reuse(owner);
    await tab.goto(draft.url);
    expect(await found(tab)).toEqual({ ...FOUND, user: 'olga-files' });
    await tab.click('#about');
    await tab.waitForFunction("document.title === 'About'");
    const address = tab.url();
    const other = await stage.enter();
    expect((await other.goto(address))?.status()).toBe(404);
  });
});
