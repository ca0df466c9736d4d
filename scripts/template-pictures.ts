import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import sharp from 'sharp';
import { LANGUAGES, type Language } from '../contract/rules/texts/languages.ts';
import type { TemplateSummary } from '../contract/templates/templates.ts';
import { readCatalog } from '../server/sites/screens/index.ts';
import { launchBrowser } from '../test/support/browser/browser.ts';
import { call, login, register } from '../test/support/http/client.ts';
import { startServer } from '../test/support/server.ts';

/**
 * Takes the pictures of the templates from a real server, in every language: `bun scripts/template-pictures.ts [key…]`, or
 * in one: `bun scripts/template-pictures.ts --language=de [key…]`. Functions with npm packages need `QUIRE_NPM_REGISTRY`.
 */

const FOLDER = join(import.meta.dir, '../templates/pictures');
const WIDTH = 960;
const HEIGHT = 600;
const SHOWN_WIDTH = 800;
const MAX_BYTES = 40_000;
const SETTLED_MS = 2_500;

const { values: options, positionals: wanted } = parseArgs({
  args: process.argv.slice(2),
  options: { language: { type: 'string' } },
  allowPositionals: true,
});
const languages = (Object.keys(LANGUAGES) as Language[]).filter(
  (language) => options.language === undefined || language === options.language,
);
const { QUIRE_NPM_REGISTRY } = process.env;
const server = await startServer({ settings: { ...(QUIRE_NPM_REGISTRY && { QUIRE_NPM_REGISTRY }) } });
const browser = await launchBrowser({});
try {
  const { token } = await register(server, 'ada');
  const cookie = await login(server, 'ada');
  const { templates } = (await call(server, 'GET', '/api/templates')).body;
  for (const language of languages) {
    await mkdir(join(FOLDER, language), { recursive: true });
    for (const template of templates as TemplateSummary[])
      if (wanted.length === 0 || wanted.includes(template.key))
        await take(join(language, template.key), await publish(template, language, token), {
          cookie,
          language,
        });
  }
} finally {
  await browser.close();
  await server.stop();
}

/** Publishes a template, with its samples, and returns the address of its page. */
async function publish({ key, title }: TemplateSummary, language: Language, token: string): Promise<string> {
  const said = readCatalog(language, ['dashboard'])[title];
  const name = typeof said === 'string' ? said : title;
  const answer = await call(server, 'POST', `/api/templates/${key}/pages`, {
    token,
    body: { name, language },
  });
  if (answer.status !== 201) throw new Error(`${key}: ${JSON.stringify(answer.body)}`);
  return `${server.baseUrl}/p/${answer.body.page.slug}`;
}

async function take(
  key: string,
  url: string,
  { cookie, language }: { cookie: string; language: Language },
): Promise<void> {
  const context = await browser.context({
    viewport: { width: WIDTH, height: HEIGHT },
    colorScheme: 'light',
    locale: language,
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
