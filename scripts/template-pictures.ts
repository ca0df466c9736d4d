import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import type { TemplateSummary } from '../contract/templates/templates.ts';
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

const wanted = process.argv.slice(2);
const { QUIRE_NPM_REGISTRY } = process.env;
const server = await startServer({ settings: { ...(QUIRE_NPM_REGISTRY && { QUIRE_NPM_REGISTRY }) } });
const browser = await launchBrowser({});
try {
  await mkdir(FOLDER, { recursive: true });
  const { token } = await register(server, 'ada');
  const cookie = await login(server, 'ada');
  const { templates } = (await call(server, 'GET', '/api/templates')).body;
  for (const template of templates as TemplateSummary[])
    if (wanted.length === 0 || wanted.includes(template.key))
      await take(template.key, await publish(template, token), cookie);
} finally {
  await browser.close();
  await server.stop();
}

/** Publishes a template, with its samples, and returns the address of its page. */
async function publish({ key, title }: TemplateSummary, token: string): Promise<string> {
  const answer = await call(server, 'POST', `/api/templates/${key}/pages`, { token, body: { name: title } });
  if (answer.status !== 201) throw new Error(`${key}: ${JSON.stringify(answer.body)}`);
  return `${server.baseUrl}/p/${answer.body.page.slug}`;
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
