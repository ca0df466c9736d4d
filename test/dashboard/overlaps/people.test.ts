import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { CONNECTABLE } from '../../../contract/rules/provider-kinds.ts';
import { closeTabs, openStage, PASSWORD, type Person, type Stage } from '../../support/browser/stage.ts';
import { untilPrinted } from '../../support/server.ts';
import { LONG_NAME, RIGHT_TO_LEFT, testScreens } from './every-width.ts';
import { below, readAreas, readList, readTabs } from './routers.ts';

/** No screen of the account, of administrators and of Home has anything that covers something else. */

let stage: Stage;
let ada: Person;
let newcomer: Person;
let ids: Record<string, number>;
beforeAll(async () => {
  stage = await openStage('origin', { QUIRE_NPM_REGISTRY: 'off', QUIRE_REGISTRATIONS_PER_HOUR: '0' });
  ada = await stage.register('ada');
  newcomer = await stage.register('newcomer');
  const bea = await stage.register('a-name-as-long-as-they-may-be-32');
  const page = await stage.publish(bea, '<!doctype html><p>Cheap', { name: LONG_NAME });
  await stage.publish(ada, '<!doctype html><p>Cheap', { name: LONG_NAME });
  await stage.publish(ada, '<!doctype html><p>Cheap', { name: RIGHT_TO_LEFT });
  const code = 'export default { fetch() { return new Response("hi") } }';
  const body = { slug: 'sender', code, displayName: LONG_NAME };
  await stage.call('POST', '/api/functions', { token: bea.token, body });
  const setup = await stage.reuse();
  await setup.goto(stage.baseUrl + (await untilPrinted(stage, /\/setup\?code=\S+/)));
  await setup.getByLabel('Username').fill('ada');
  await setup.getByLabel('Password').fill(PASSWORD);
  await setup.getByRole('button', { name: 'Become administrator' }).click();
  await setup.getByRole('heading', { name: 'You are now an administrator' }).waitFor();
  const named = { name: LONG_NAME.slice(0, 100), scopes: ['pages:read'] };
  for (const name of [named.name, RIGHT_TO_LEFT])
    await stage.call('POST', '/api/auth/tokens', { token: ada.token, body: { ...named, name } });
  ids = { bea: bea.id, page: page.id };
}, 120_000);
afterEach(closeTabs);
afterAll(() => stage.close());

/** Those of pages, functions and databases have files of their own. */
const ELSEWHERE = ['/pages', '/functions', '/databases'];
const PATHS = [
  ...readAreas().filter((href) => !ELSEWHERE.includes(href)),
  '/account/new-token',
  ...readTabs('accounts/index.tsx').map((tab) => below('/account', tab)),
  ...readTabs('admin/area.tsx').map((tab) => below('/admin', tab)),
  ...readList('connect/index.tsx', 'WAYS').map((way) => below('/connect', way)),
  ...CONNECTABLE.map((name) => `/admin/providers/${name}`),
  '/admin/users/:bea',
  ...readList('admin/area.tsx', 'WITH_ITEM')
    .filter((tab) => tab !== 'providers')
    .map((tab) => `/admin/${tab}/a-name-as-long-as-they-may-be-32`),
  // Screens that the server makes, as an administrator sees them.
  '/setup/done',
  '/try?wish=A+quiz+about+everything+that+happened',
];

test('the list has every area', () => {
  expect(readAreas()).toEqual(['/', '/pages', '/functions', '/databases', '/connect', '/account', '/admin']);
  expect(PATHS).toEqual(
    expect.arrayContaining(['/connect/token', '/admin/audit/a-name-as-long-as-they-may-be-32']),
  );
});

testScreens(PATHS, () => ({ stage, person: ada, ids }));
// Home of somebody who has nothing yet.
testScreens(['/?new'], () => ({ stage, person: newcomer, ids }));
