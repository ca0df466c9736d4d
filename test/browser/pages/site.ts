import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';

/** A site of several files, as a folder on a computer. Its script reports what has loaded. */

const FONT = join(
  import.meta.dir,
  '../../../server/platform/pictures/card/fonts/noto-sans-bengali-400.woff2',
);
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
);
const nav =
  '<a id="home" href="./">Home</a> <a id="about" href="about">About</a> <a id="docs" href="docs/">Docs</a>';
export const SITE: Record<string, string | Uint8Array> = {
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
  'fonts/site.woff2': readFileSync(FONT),
};

/** What the site's script has seen, once everything has loaded. */
export async function found(tab: Page): Promise<unknown> {
  await tab.waitForFunction("document.title === 'Ready'");
  return tab.evaluate('window.found');
}

export const FOUND = {
  name: 'a module',
  colour: 'teal',
  fonts: ['loaded'],
  images: [1],
  style: 'rgb(1, 2, 3)',
  user: null as string | null,
};
