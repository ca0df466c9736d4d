import { afterEach, beforeAll, expect, test } from 'bun:test';
import { expectNoOverlaps } from '../../support/browser/overlaps.ts';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { runSql } from '../../support/engines/storage.ts';
import { deploy } from '../functions/deploy.ts';
import { LOCALES, LONG_NAME, openWith, RIGHT_TO_LEFT, testScreens } from './every-width.ts';
import { below, readPageScreens, readTabs } from './routers.ts';

/** No screen of pages has anything that covers something else, at any width and in any language. */

const FORECAST = 'overlaps-forecast-of-next-week';

let stage: Stage;
let olga: Person;
let ids: Record<string, number>;
beforeAll(async () => {
  stage = await sharedStage('origin');
  olga = await stage.register('olga-overlaps');
  const call = async (method: string, path: string, body: object) => {
    const answer = await stage.call(method, path, { token: olga.token, body });
    expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
    return answer.body;
  };
  const html = `<!doctype html><title>Wall</title><form name="contact" data-quire-form></form><script>SocialData.create('orders', { email: '', address: '' })</script><p>Hello`;
  const { id: page } = await stage.publish(olga, html, { name: LONG_NAME, storage_mode: 'team_app' });
  const { id: rtl } = await stage.publish(olga, html, { name: RIGHT_TO_LEFT, storage_mode: 'team_app' });
  await deploy(stage, olga, FORECAST);
  await call('PATCH', `/api/pages/${page}`, { functions: [FORECAST] });
  await call('PUT', `/api/functions/${FORECAST}/secrets/WEATHER_KEY`, { value: 'key' });
  const { page: branch } = await call('POST', `/api/pages/${page}/branches`, {
    name: 'everything-in-other-words',
    data: 'all',
  });
  // Something of every kind to compare, and a conflict.
  for (const [id, heading] of [
    [branch.id, 'What the branch says'],
    [page, 'What the page says'],
  ] as const)
    await call('PATCH', `/api/pages/${id}`, {
      html_content: `<!doctype html><title>Wall</title><p>${heading}`,
    });
  await call('PATCH', `/api/pages/${branch.id}`, { description: 'Everything that can be lent' });
  await call('POST', `/api/pages/${branch.id}/team-data/neighbours`, { data: { name: 'Newcomer' } });
  for (let index = 0; index < 60; index++)
    await call('POST', `/api/pages/${page}/team-data/neighbours`, {
      data: {
        name: index === 0 ? LONG_NAME : index === 1 ? RIGHT_TO_LEFT : `Neighbour ${index}`,
        ...{ street: 'Long street in a large town', phone: 12_345 },
      },
    });
  await call('POST', '/api/reports', { page: String(rtl), reason: 'scam', text: LONG_NAME.repeat(3) });
  for (const form of ['contact', LONG_NAME.slice(0, 60)])
    for (const name of [LONG_NAME, RIGHT_TO_LEFT, 'Ada'])
      await call('POST', `/api/pages/${page}/forms/${form}`, { name, message: `${LONG_NAME}\nSecond line` });
  await runSql({ dataFolder: stage.dataFolder, databaseUrl: undefined }, ...listVisits(page));
  const [viewed, joined] = await Promise.all(['viewer', 'member'].map(shareWithOlga));
  ids = { page, rtl, branch: branch.id, viewed: viewed ?? 0, joined: joined ?? 0 };
}, 120_000);
afterEach(closeTabs);

/** A page of somebody else, with a role for Olga. */
async function shareWithOlga(role: string): Promise<number> {
  const owner = await stage.register(`overlaps-owner-for-a-${role}`);
  const { id } = await stage.publish(owner, '<p>x', { name: LONG_NAME, storage_mode: 'team_app' });
  const body = { role, maxUses: 1 };
  const invite = await stage.call('POST', `/api/pages/${id}/team/invite`, { token: owner.token, body });
  const path = `/api/join/${invite.body.inviteCode}`;
  expect((await stage.call('POST', path, { token: olga.token })).status).toBe(200);
  return id;
}

const DAY_MS = 86_400_000;

/** What visitors did in the last days, and where they came from. */
function listVisits(page: number): string[] {
  const today = Date.now() - (Date.now() % DAY_MS);
  const days = Array.from({ length: 20 }, (_, index) => today - index * DAY_MS);
  const referrers = ['news.example', `${'long-'.repeat(12)}.example`, 'search.example'];
  return [
    ...days.map(
      (day, index) =>
        `insert into page_days (page_id, day, views, visitors, errors) values (${page}, ${day}, ${index * 7000}, ${index * 500}, ${index})`,
    ),
    ...referrers.map(
      (referrer) =>
        `insert into page_referrers (page_id, day, referrer, views) values (${page}, ${today - DAY_MS}, '${referrer}', 1200)`,
    ),
    `insert into page_errors (page_id, fingerprint, message, source, line_number, browser, version, count, first_at, last_at) values (${page}, 'f', 'ReferenceError: ${LONG_NAME} is not defined', 'index.html', 12, 'Firefox 145', 1, 3, ${today}, ${today})`,
  ];
}

/** Those that only branches have. */
const OF_BRANCHES = ['branch', 'changes', 'merge', 'update'];

const PATHS = [
  '/pages',
  '/pages/999999999',
  // `/pages/build` goes on to `/pages/new`.
  ...readPageScreens().map((name) => `/pages/${name}`),
  '/pages/build/:page',
  ...readTabs('pages/frame.tsx').map((tab) =>
    below(OF_BRANCHES.includes(tab) ? '/pages/:branch' : '/pages/:page', tab),
  ),
  '/pages/:page/versions/1',
  '/pages/:page/data/neighbours',
  '/pages/:page/data/neighbours/schema',
  '/pages/:viewed',
  '/pages/:joined/team',
  '/pages/:page/nothing',
  ...['', 'data', 'settings', 'share', 'attack'].map((tab) => below('/pages/:branch', tab)),
  ...['', 'settings', 'history', 'share', 'branches', 'team', 'reports', 'forms', 'analytics'].map((tab) =>
    below('/pages/:rtl', tab),
  ),
  ...['', 'secrets'].map((tab) => below(`/functions/${FORECAST}--everything-in-other-words`, tab)),
];

test('the list has every screen of the router', () => {
  expect(readPageScreens()).toEqual(expect.arrayContaining(['new', 'build', 'import']));
  expect(readTabs('pages/frame.tsx')).toEqual(expect.arrayContaining(['', 'attack', 'merge', 'agent-spec']));
});

testScreens(PATHS, () => ({ stage, person: olga, ids }));

for (const locale of LOCALES) {
  test(`the page in the editor, in ${locale}`, async () => {
    const tab = await (await openWith(locale, stage, olga)).newPage();
    await tab.goto(`${stage.baseUrl}/pages/${ids.page}`);
    await tab.locator('.page-mode button').first().click();
    await tab.locator('.visual-bar').waitFor();
    await expectNoOverlaps(tab);
  });

  test(`the report of an attack, in ${locale}`, async () => {
    const tab = await (await openWith(locale, stage, olga)).newPage();
    const { status } = await stage.call('POST', `/api/pages/${ids.rtl}/attack`, { token: olga.token });
    expect(status).toBe(200);
    await tab.goto(`${stage.baseUrl}/pages/${ids.rtl}/attack`);
    await tab.locator('.page-attack').waitFor();
    await expectNoOverlaps(tab);
  }, 180_000);
}
