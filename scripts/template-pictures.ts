import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { Template, TemplateSummary } from '../contract/templates/templates.ts';
import { launchBrowser } from '../test/support/browser/browser.ts';
import { call, login, register } from '../test/support/http/client.ts';
import { startServer } from '../test/support/server.ts';

/**
 * Takes the pictures of the templates from a real server: `bun scripts/template-pictures.ts [key…]`. Functions with npm
 * packages need `QUIRE_NPM_REGISTRY`.
 */

const FOLDER = join(import.meta.dir, '../templates/pictures');
const WIDTH = 960;
const HEIGHT = 600;
const SHOWN_WIDTH = 800;
const MAX_BYTES = 40_000;
const SETTLED_MS = 2_500;
const DATA_TYPES: Record<string, string> = {
  solo_app: 'solo-data',
  team_app: 'team-data',
  social_app: 'social-data',
};

/** What is in the pictures: records by collection, or bodies for the function. */
const CONTENT: Record<string, Record<string, object[]>> = {
  todo: {
    todos: [
      { title: 'Water the plants', done: true },
      { title: 'Call Grace', done: false },
      { title: 'Buy stamps', done: false },
    ],
  },
  habits: {
    habits: [
      { name: 'Read ten pages', days: daysAgo(0, 1, 2, 4) },
      { name: 'Walk to work', days: daysAgo(1, 2, 5, 6) },
    ],
  },
  wall: {
    notes: [
      { text: 'The library is open late on Thursdays.' },
      { text: 'Found a red scarf near the gate.' },
      { text: 'Choir starts again on Monday!' },
    ],
  },
  guestbook: {
    entries: [
      { text: 'What a lovely page.', paper: 'mint' },
      { text: 'Greetings from the lake.', paper: 'sky' },
      { text: 'We will come again.', paper: 'butter' },
    ],
  },
  'team-board': {
    cards: [
      { title: 'Order chairs', column: 'todo', position: 1 },
      { title: 'Print the programme', column: 'doing', position: 1 },
      { title: 'Book the hall', column: 'done', position: 1 },
    ],
  },
  ideas: {
    ideas: [
      { title: 'Longer opening hours', why: 'Many of us work until six.' },
      { title: 'A bench by the river' },
      { title: 'Bike racks at the school' },
    ],
  },
  'signed-book': {
    function: [
      { action: 'sign', name: 'Grace', text: 'What a lovely idea.' },
      { action: 'sign', name: 'Ada', text: 'First!' },
    ],
  },
  'link-shelf': {
    function: [
      { action: 'add', url: 'https://sqlite.org', title: 'SQLite', topic: 'read' },
      { action: 'add', url: 'https://web.dev', title: 'web.dev', topic: 'make' },
    ],
  },
};

function daysAgo(...days: number[]): string[] {
  return days.map((day) => new Date(Date.now() - day * 86_400_000).toISOString().slice(0, 10));
}

const wanted = process.argv.slice(2);
const { QUIRE_NPM_REGISTRY } = process.env;
const server = await startServer({ settings: { ...(QUIRE_NPM_REGISTRY && { QUIRE_NPM_REGISTRY }) } });
const browser = await launchBrowser({});
try {
  await mkdir(FOLDER, { recursive: true });
  const { token } = await register(server, 'ada');
  const cookie = await login(server, 'ada');
  const { templates } = (await call(server, 'GET', '/api/templates')).body;
  for (const { key } of templates as TemplateSummary[]) {
    if (wanted.length > 0 && !wanted.includes(key)) continue;
    const template: Template = (await call(server, 'GET', `/api/templates/${key}`)).body;
    await take(key, await publish(template, token), cookie);
  }
} finally {
  await browser.close();
  await server.stop();
}

/** Publishes a template with its content, and returns the address of its page. */
async function publish(template: Template, token: string): Promise<string> {
  const must = async (method: string, path: string, body: object) => {
    const answer = await call(server, method, path, { token, body });
    if (answer.status >= 300) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
  const own = template.function;
  if (own) {
    const { slug, displayName, description, code, files, enableDatabase } = own;
    await must('POST', '/api/functions', { slug, displayName, description, code, files, enableDatabase });
  }
  const { page } = await must('POST', '/api/pages', {
    name: template.title,
    html_content: template.html_content.replaceAll('__NAME__', template.title),
    storage_mode: template.storage_mode,
  });
  await must('PATCH', `/api/pages/${page.id}`, { ...template.features, is_published: true });
  for (const [place, bodies] of Object.entries(CONTENT[template.key] ?? {})) {
    for (const body of bodies) {
      if (place === 'function') await must('POST', `/api/functions/${own?.slug}`, body);
      else
        await must('POST', `/api/pages/${page.id}/${DATA_TYPES[template.storage_mode]}/${place}`, {
          data: body,
        });
    }
  }
  return `${server.baseUrl}/p/${page.slug}`;
}

async function take(key: string, url: string, cookie: string): Promise<void> {
  const context = await browser.context({
    viewport: { width: WIDTH, height: HEIGHT },
    colorScheme: 'light',
    reducedMotion: 'reduce',
  });
  const [name = '', value = ''] = cookie.split('=');
  await context.addCookies([{ name, value, url: server.baseUrl }]);
  const page = await context.newPage();
  await page.goto(url, { waitUntil: 'load' });
  // Pages that follow changes are never idle.
  await page.waitForTimeout(SETTLED_MS);
  const picture = sharp(await page.screenshot({ caret: 'hide' })).resize({ width: SHOWN_WIDTH });
  const bytes = await picture.webp({ quality: 78, effort: 6 }).toBuffer();
  if (bytes.length > MAX_BYTES) throw new Error(`${key} has ${bytes.length} bytes, more than ${MAX_BYTES}`);
  await Bun.write(join(FOLDER, `${key}.webp`), bytes);
  console.log(`${key}.webp  ${Math.round(bytes.length / 1024)} KB`);
  await context.close();
}
