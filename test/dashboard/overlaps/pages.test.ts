import { afterEach, beforeAll, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { expectNoOverlaps } from '../support/browser/overlaps.ts';
import { closeTabs, newContext, type Person, type Stage, sharedStage } from '../support/browser/stage.ts';
import { deploy } from './functions/deploy.ts';

/** No screen has anything that covers something else, at any width and in any language. */

const LOCALES = ['en-US', 'de-DE'];

let stage: Stage;
let page: number;
let branch: number;
let olga: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  olga = await stage.register('olga-overlaps');
  const published = await stage.publish(olga, '<!doctype html><title>Wall</title><p>Hello', {
    name: 'Everything that the neighbours of our street lend to one another',
    storage_mode: 'team_app',
  });
  page = published.id;
  await deploy(stage, olga, 'overlaps-weather', { enableDatabase: true });
  const forecast = 'overlaps-forecast-of-next-week';
  await deploy(stage, olga, forecast);
  const call = (method: string, path: string, body: object) =>
    stage.call(method, path, { token: olga.token, body });
  await call('PATCH', `/api/pages/${page}`, { functions: [forecast] });
  await call('PUT', `/api/functions/${forecast}/secrets/WEATHER_KEY`, { value: 'key' });
  const made = await call('POST', `/api/pages/${page}/branches`, {
    name: 'everything-in-other-words',
    data: 'all',
  });
  branch = made.body.page.id;
  // Something of every kind to compare, and a conflict.
  for (const [id, heading] of [
    [branch, 'What the branch says'],
    [page, 'What the page says'],
  ] as const)
    await call('PATCH', `/api/pages/${id}`, {
      html_content: `<!doctype html><title>Wall</title><p>${heading}`,
    });
  await call('PATCH', `/api/pages/${branch}`, { description: 'Everything that can be lent' });
  await call('POST', `/api/pages/${branch}/team-data/neighbours`, { data: { name: 'Newcomer' } });
  for (let index = 0; index < 60; index++)
    await stage.call('POST', `/api/pages/${page}/team-data/neighbours`, {
      token: olga.token,
      body: { data: { name: `Neighbour ${index}`, street: 'Long street in a large town', phone: 12_345 } },
    });
});
afterEach(closeTabs);

const SCREENS = [
  '/',
  '/pages',
  '/pages/new',
  '/try?wish=A+quiz+about+everything+that+happened',
  '/pages/:page',
  ...[
    'versions',
    'history',
    'data',
    'data/neighbours',
    'forms',
    'analytics',
    'team',
    'agent-spec',
    'settings',
    'share',
    'branches',
  ].map((name) => `/pages/:page/${name}`),
  ...['', '/data', '/settings', '/share', '/branch', '/changes', '/merge', '/update'].map(
    (name) => `/pages/:branch${name}`,
  ),
  '/functions/overlaps-forecast-of-next-week--everything-in-other-words/secrets',
  '/functions',
  '/functions/_new',
  ...[
    '',
    '/logs',
    '/statistics',
    '/schedules',
    '/secrets',
    '/versions',
    '/database',
    '/database/migrations',
    '/settings',
  ].map((name) => `/functions/overlaps-weather${name}`),
  '/databases',
  '/connect',
  ...['', '/apps', '/profile', '/security', '/sessions', '/credits', '/your-data', '/activity'].map(
    (name) => `/account${name}`,
  ),
];

async function enterWith(locale: string): Promise<Page> {
  const cookies = await (await stage.reuse(olga)).context().cookies();
  const context = await newContext({ locale });
  await context.addCookies(cookies);
  return context.newPage();
}

for (const locale of LOCALES)
  for (const path of SCREENS)
    test(`${path} in ${locale}`, async () => {
      const tab = await enterWith(locale);
      await tab.goto(stage.baseUrl + path.replace(':page', String(page)).replace(':branch', String(branch)));
      await expectNoOverlaps(tab);
    });

for (const locale of LOCALES)
  test(`the page in the editor, in ${locale}`, async () => {
    const tab = await enterWith(locale);
    await tab.goto(`${stage.baseUrl}/pages/${page}`);
    await tab.locator('.page-mode button').first().click();
    await tab.locator('.visual-bar').waitFor();
    await expectNoOverlaps(tab);
  });
