import { afterEach, beforeAll, expect, test } from 'bun:test';
import { closeTabs, type Person, type Stage, sharedStage } from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import { deploy } from '../functions/deploy.ts';
import { LONG_NAME, RIGHT_TO_LEFT, testScreens } from './every-width.ts';
import { below, readTabs } from './routers.ts';

/** No screen of functions and databases has anything that covers something else, at any width and in any language. */

const WEATHER = 'overlaps-weather';
const CODE = `export default {
  async fetch(request, env) {
    console.log('${LONG_NAME}');
    await env.QUEUE.send({ to: 'ada@example.com' }, { key: 'letter 7' });
    return new Response('sent');
  },
  queue() { throw new Error('The mail server at example.com does not answer'); },
  scheduled() {},
};`;

let stage: Stage;
let olga: Person;
beforeAll(async () => {
  stage = await sharedStage('origin');
  olga = await stage.register('olga-overlaps-functions');
  await deploy(stage, olga, WEATHER, { code: CODE, enableDatabase: true, displayName: LONG_NAME });
  await deploy(stage, olga, 'overlaps-wind', { displayName: RIGHT_TO_LEFT });
  const call = async (method: string, path: string, body: object) => {
    const answer = await stage.call(method, path, { token: olga.token, body });
    expect([path, answer.status < 300, answer.body]).toEqual([path, true, answer.body]);
    return answer.body;
  };
  await call('PATCH', `/api/functions/${WEATHER}`, {
    schedules: [{ cron: '0 3 * * *', timezone: 'America/Argentina/Buenos_Aires' }],
    on: [
      { collection: 'orders', actions: ['create', 'update', 'delete'] },
      { collection: 'people', actions: ['create'], url: `https://example.com/${'a-hook/'.repeat(20)}` },
    ],
  });
  // Something to compare.
  await call('PATCH', `/api/functions/${WEATHER}`, { code: `${CODE}\n// ${LONG_NAME}` });
  await call('PUT', `/api/functions/${WEATHER}/secrets/A_KEY_WITH_A_NAME_THAT_IS_LONG`, { value: 'key' });
  const sql = 'CREATE TABLE towns (id INTEGER PRIMARY KEY, name TEXT, people INTEGER)';
  await call('POST', `/api/functions/${WEATHER}/database`, { sql });
  await call('POST', `/api/functions/${WEATHER}/database`, {
    sql: `INSERT INTO towns (name, people) VALUES ('${LONG_NAME}', 12), ('${RIGHT_TO_LEFT}', 30000)`,
  });
  expect((await stage.call('POST', `/api/functions/${WEATHER}`, { body: {} })).status).toBe(200);
  await waitUntil(async () => {
    const path = `/api/functions/${WEATHER}/jobs?state=waiting&limit=20&offset=0`;
    const { jobs } = (await stage.call('GET', path, { token: olga.token })).body;
    return jobs.some(({ error }: { error: string | null }) => error !== null);
  });
}, 120_000);
afterEach(closeTabs);

const PATHS = [
  '/functions',
  '/functions/_new',
  '/functions/overlaps-nothing',
  ...readTabs('functions/function.tsx').map((tab) => below(`/functions/${WEATHER}`, tab)),
  ...['tables/towns', 'tables/towns/structure', 'sql', 'migrations', 'transfer'].map((tab) =>
    below(`/functions/${WEATHER}/database`, tab),
  ),
  ...['', 'versions', 'settings'].map((tab) => below('/functions/overlaps-wind', tab)),
  `/functions/${WEATHER}/versions/1`,
  // Part of Quire, for everyone to look at.
  '/functions/unfurl-url',
  '/databases',
];

test('the list has every screen of the router', () => {
  expect(PATHS).toEqual(
    expect.arrayContaining([`/functions/${WEATHER}/jobs`, `/functions/${WEATHER}/triggers`]),
  );
});

testScreens(PATHS, () => ({ stage, person: olga, ids: {} }));
