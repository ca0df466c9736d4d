import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { launchBrowser } from '../test/support/browser/browser.ts';
import { call, login, register } from '../test/support/http/client.ts';
import { startServer, type TestServer } from '../test/support/server.ts';

/**
 * Takes the pictures in docs/pictures from a real server with the examples on it: `npm run pictures`, or
 * `npm run pictures -- login consent` for some of them. A new picture is a new row of the table.
 */

const ROOT = join(import.meta.dir, '..');
const FOLDER = join(ROOT, 'docs/pictures');
const MAX_WIDTH = 1200;
const MAX_BYTES = 70_000;
/** The address that the pictures show, instead of the real one. */
const SHOWN_HOST = 'localhost:3000';

interface Shot {
  /** The file name without extension. */
  name: string;
  path: string | ((world: World) => string);
  /** The user who is logged in; none if absent. */
  who?: 'ada' | 'grace';
  width: number;
  height: number;
  /** True to take a second picture, `<name>-dark`, for dark mode. */
  dark?: boolean;
  /** Steps before the picture is taken. */
  steps?(page: Page): Promise<unknown>;
}

const SHOTS: Shot[] = [
  { name: 'register', path: '/register', width: 900, height: 680, dark: true },
  {
    name: 'guestbook',
    path: '/p/example-guestbook',
    who: 'grace',
    width: 900,
    height: 640,
    steps: (page) => page.getByText('What a lovely page').waitFor(),
  },
  {
    name: 'todo',
    path: '/p/example-todo',
    who: 'ada',
    width: 900,
    height: 560,
    steps: (page) => page.getByText('Buy milk').waitFor(),
  },
  {
    name: 'join',
    path: ({ inviteCode }) => `/join/${inviteCode}`,
    who: 'grace',
    width: 900,
    height: 520,
    dark: true,
  },
  {
    name: 'consent',
    path: ({ ids }) => `/consent?page=${ids['example-studio']}`,
    who: 'grace',
    width: 900,
    height: 720,
    dark: true,
  },
  { name: 'studio', path: '/p/example-studio', who: 'grace', width: 900, height: 640 },
  {
    name: 'pages',
    path: '/pages',
    who: 'ada',
    width: 1200,
    height: 720,
    dark: true,
    steps: (page) => page.getByText('Example: Guestbook').waitFor(),
  },
  {
    name: 'editor',
    path: ({ ids }) => `/pages/${ids['example-guestbook']}`,
    who: 'ada',
    width: 1200,
    height: 720,
    dark: true,
    async steps(page) {
      await page.locator('.cm-content').waitFor();
      await page.frameLocator('iframe').first().getByRole('heading').first().waitFor();
    },
  },
  {
    name: 'versions',
    path: ({ ids }) => `/pages/${ids['example-todo']}/versions/2`,
    who: 'ada',
    width: 1200,
    height: 640,
    dark: true,
    steps: (page) => page.locator('.cm-content').waitFor(),
  },
  {
    name: 'data-browser',
    path: ({ ids }) => `/pages/${ids['example-guestbook']}/data/entries`,
    who: 'ada',
    width: 1200,
    height: 640,
    dark: true,
    steps: (page) => page.getByText('What a lovely page').waitFor(),
  },
  {
    name: 'function',
    path: '/functions/example-link-shelf',
    who: 'ada',
    width: 1200,
    height: 720,
    dark: true,
    steps: (page) => page.locator('.cm-content').first().waitFor(),
  },
  {
    name: 'database',
    path: '/functions/example-link-shelf/database',
    who: 'ada',
    width: 1200,
    height: 720,
    dark: true,
    steps: (page) => page.getByRole('grid').or(page.locator('table')).first().waitFor(),
  },
  {
    name: 'account',
    path: '/account/credits',
    who: 'ada',
    width: 1200,
    height: 640,
    dark: true,
    steps: (page) => page.getByText('Opening balance').waitFor(),
  },
  { name: 'api-reference', path: '/docs/api#post-pages', width: 1100, height: 700, dark: true },
];

interface World {
  server: TestServer;
  cookies: Record<'ada' | 'grace', string>;
  inviteCode: string;
  /** Page ids by slug. */
  ids: Record<string, number>;
}

const wanted = process.argv.slice(2);
const server = await startServer({
  settings: {
    QUIRE_BASE_URL: `http://${SHOWN_HOST}`,
    QUIRE_PAGES_HOST: 'pages.localhost:3000',
    QUIRE_IMAGE_SEARCH: 'demo',
  },
});
try {
  await takePictures(await furnish(server));
} finally {
  await server.stop();
}

/** Publishes the examples as ada, and adds data from other people. */
async function furnish(server: TestServer): Promise<World> {
  const ada = await register(server, 'ada');
  const grace = await register(server, 'grace');
  await publishExamples(server, ada.token);
  await addData(server, ada.token, grace.token);
  const { pages } = (await call(server, 'GET', '/api/pages', { token: ada.token })).body;
  const ids: World['ids'] = Object.fromEntries(
    pages.map((page: { id: number; slug: string }) => [page.slug, page.id]),
  );
  for (const id of Object.values(ids)) {
    await call(server, 'POST', `/api/pages/${id}/generate-preview-image`, { token: ada.token });
  }
  await addVersion(server, ada.token, ids['example-todo'] ?? 0);
  const invite = await call(server, 'POST', `/api/pages/${ids['example-team-board']}/team/invite`, {
    token: ada.token,
    body: { role: 'member' },
  });
  return {
    server,
    cookies: { ada: await login(server, 'ada'), grace: await login(server, 'grace') },
    inviteCode: invite.body.inviteCode,
    ids,
  };
}

async function publishExamples(server: TestServer, token: string): Promise<void> {
  const publishing = Bun.spawn(
    [process.execPath, join(ROOT, 'server/main.ts'), 'examples', `http://localhost:${server.port}`, token],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  if ((await publishing.exited) !== 0) throw new Error('the examples could not be published');
}

async function addData(server: TestServer, ada: string, grace: string): Promise<void> {
  const add = async (token: string, place: string, data: Record<string, unknown>) => {
    const answer = await call(server, 'POST', `/api/pages/${place}`, { token, body: { data } });
    if (answer.status !== 201) throw new Error(`${place}: ${JSON.stringify(answer.body)}`);
  };
  await add(ada, 'example-guestbook/social-data/entries', {
    text: 'Welcome! Write something.',
    paper: 'butter',
  });
  await add(grace, 'example-guestbook/social-data/entries', {
    text: 'What a lovely page.',
    paper: 'mint',
  });
  for (const [title, done] of Object.entries({
    'Read the quick start': true,
    'Buy milk': false,
    'Call Grace': false,
  })) {
    await add(ada, 'example-todo/solo-data/todos', { title, done });
  }
  for (const [title, topic] of Object.entries({ SQLite: 'read', 'Web.dev': 'make', MDN: 'read' })) {
    await call(server, 'POST', '/api/functions/example-link-shelf', {
      body: { action: 'add', title, topic, url: `https://example.com/${title.toLowerCase()}` },
    });
  }
}

/** A change for the page of versions to show. */
async function addVersion(server: TestServer, token: string, id: number): Promise<void> {
  const { html_content } = (await call(server, 'GET', `/api/pages/${id}`, { token })).body.page;
  const changed = html_content.replace(/(<h1[^>]*>)[^<]*/, '$1What is next');
  await call(server, 'PATCH', `/api/pages/${id}`, {
    token,
    body: { html_content: changed },
  });
}

async function takePictures(world: World): Promise<void> {
  await mkdir(FOLDER, { recursive: true });
  const here = `127.0.0.1:${world.server.port}`;
  const flags = [`--host-resolver-rules=MAP ${SHOWN_HOST} ${here}, MAP *.${SHOWN_HOST} ${here}`];
  const browser = await launchBrowser({ flags });
  try {
    for (const shot of SHOTS.filter(({ name }) => wanted.length === 0 || wanted.includes(name))) {
      for (const colorScheme of shot.dark ? (['light', 'dark'] as const) : (['light'] as const)) {
        const context = await browser.context({
          viewport: { width: shot.width, height: shot.height },
          colorScheme,
          reducedMotion: 'reduce',
        });
        const page = await context.newPage();
        await take(shot, page, world, colorScheme === 'dark' ? `${shot.name}-dark` : shot.name);
        await context.close();
      }
    }
  } finally {
    await browser.close();
  }
}

async function take(shot: Shot, page: Page, world: World, name: string): Promise<void> {
  const { baseUrl } = world.server;
  if (shot.who) {
    const [cookie = '', value = ''] = world.cookies[shot.who].split('=');
    await page.context().addCookies([{ name: cookie, value, url: baseUrl }]);
  }
  const path = typeof shot.path === 'string' ? shot.path : shot.path(world);
  await page.goto(baseUrl + path, { waitUntil: 'load' });
  await shot.steps?.(page);
  await page.evaluate(`Promise.all([...document.images].map((image) => {
    image.loading = 'eager';
    return image.decode().catch(() => {});
  }))`);
  const bytes = await sharp(await page.screenshot({ caret: 'hide' }))
    .resize({ width: MAX_WIDTH, withoutEnlargement: true })
    .png({ palette: true, colours: 64, effort: 10, compressionLevel: 9 })
    .toBuffer();
  if (bytes.length > MAX_BYTES) throw new Error(`${name} has ${bytes.length} bytes, more than ${MAX_BYTES}`);
  await Bun.write(join(FOLDER, `${name}.png`), bytes);
  console.log(`${name}.png  ${shot.width} × ${shot.height}  ${Math.round(bytes.length / 1024)} KB`);
}
