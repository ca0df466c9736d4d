import { afterEach, beforeAll, describe, expect, test } from 'bun:test';
import {
  closeTabs,
  currentUser,
  PASSWORD,
  type Setting,
  type Stage,
  sharedStage,
} from '../../support/browser/stage.ts';
import { waitUntil } from '../../support/server.ts';
import {
  attempt,
  belongings,
  expectHarmless,
  type Learned,
  lure,
  type Scene,
  SECRET,
  setScene,
} from './page.ts';

/**
 * A published page cannot use its visitor's login to manage anything, in whatever way it sends its requests.
 */

type Request = [method: string, path: string, body?: Record<string, unknown>];

const requests = ({ diary, draft, hostile, attacker }: Scene): Request[] => [
  ['GET', '/api/pages'],
  ['GET', `/api/pages/${draft.id}`],
  ['GET', `/api/pages/lookup?slug=${draft.slug}`],
  ['GET', `/api/pages/${draft.id}/versions/1`],
  ['GET', '/api/auth/me'],
  ['GET', '/api/auth/sessions'],
  ['GET', '/api/auth/tokens'],
  ['POST', '/api/pages', { name: 'Planted', html_content: '<p>planted' }],
  ['PATCH', `/api/pages/${diary.id}`, { html_content: '<p>defaced' }],
  ['DELETE', `/api/pages/${diary.id}`],
  ['POST', `/api/pages/${diary.id}/versions/1/restore`],
  ['POST', `/api/pages/${diary.id}/messages`, { role: 'user', content: 'planted' }],
  ['POST', `/api/pages/${hostile.id}/fork`],
  ['POST', `/api/pages/${diary.id}/fork`],
  ['PUT', `/api/pages/${diary.id}/agent-spec`, { spec: {} }],
  ['POST', '/api/auth/session-token'],
  ['POST', '/api/auth/tokens', { name: 'planted', scopes: ['pages:write'] }],
  ['POST', '/api/auth/password', { current: PASSWORD, next: 'owned by mallory' }],
  ['POST', '/api/auth/login', { username: attacker.username, password: PASSWORD }],
  ['DELETE', '/api/auth/sessions'],
  ['POST', '/api/auth/logout'],
];

const FORM_TYPES = ['application/x-www-form-urlencoded', 'text/plain', 'multipart/form-data'];
const ELEMENTS = ['img', 'script', 'link', 'object', 'embed', 'audio'];

const SETTINGS: Setting[] = ['origin', 'origin over HTTPS', 'sandbox'];

afterEach(closeTabs);

for (const setting of SETTINGS) {
  describe(`a hostile page in ${setting} isolation`, () => {
    let stage: Stage;
    let scene: Scene;
    let all: Request[];
    let reads: Request[];
    let posts: Request[];
    beforeAll(async () => {
      stage = await sharedStage(setting);
      scene = await setScene(stage, 'management');
      all = requests(scene);
      reads = all.filter(([method]) => method === 'GET');
      posts = all.filter(([method]) => method === 'POST');
    });

    test('learns and changes nothing with fetch and XMLHttpRequest with credentials', () =>
      expectHarmless(stage, scene, async (tab) => {
        const leaks: unknown[] = [];
        for (const origin of new Set([stage.baseUrl, new URL(scene.hostile.address).origin])) {
          for (const [method, path, body] of all) {
            const learned = [
              await attempt(tab, 'fetch', method, origin + path, body),
              await attempt(tab, 'fetch', method, origin + path, body, { mode: 'no-cors' }),
              await attempt(tab, 'xhr', method, origin + path, body),
            ];
            leaks.push(...learned.filter(isLeak).map((leak) => ({ method, path, ...leak })));
          }
        }
        expect(leaks).toEqual([]);
        // It can know what belongs to itself.
        expect((await currentUser(tab))?.username).toBe(scene.victim.username);
      }));

    test('learns and changes nothing by forging the origin of a request', () =>
      expectHarmless(stage, scene, async (tab) => {
        const leaks: unknown[] = [];
        const own = new URL(scene.hostile.address).origin;
        for (const path of ['/login', '/', `/p/${scene.diary.slug}`]) {
          await tab.evaluate(`(() => { try { history.pushState(null, '', '${path}') } catch {} })()`);
          for (const referrerPolicy of ['unsafe-url', 'no-referrer']) {
            for (const mode of ['cors', 'no-cors']) {
              const options = { referrer: own + path, referrerPolicy, mode };
              const learned = [
                await attempt(tab, 'fetch', 'GET', `${stage.baseUrl}/api/auth/me`, undefined, options),
                await attempt(tab, 'fetch', 'POST', `${stage.baseUrl}/api/auth/logout`, undefined, options),
              ];
              leaks.push(...learned.filter(isLeak));
            }
          }
        }
        expect(leaks).toEqual([]);
      }));

    test('changes nothing with forms and beacons of every kind', () =>
      expectHarmless(stage, scene, async (tab) => {
        for (const type of FORM_TYPES) {
          const learned = await Promise.all(
            posts.map(([, path, body = {}]) => attempt(tab, 'form', stage.baseUrl + path, body, type)),
          );
          expect(learned.filter(isLeak)).toEqual([]);
        }
        const before = logoutsAnswered(stage);
        for (const type of FORM_TYPES) {
          for (const [, path, body] of posts) await attempt(tab, 'beacon', stage.baseUrl + path, body, type);
        }
        await waitUntil(async () => logoutsAnswered(stage) === before + FORM_TYPES.length);
      }));

    test('learns and changes nothing with elements that load something', () =>
      expectHarmless(stage, scene, async (tab) => {
        await tab.evaluate('var told = ""; addEventListener("error", (event) => { told += event.message })');
        for (const tag of ELEMENTS) {
          await Promise.all(reads.map(([, path]) => attempt(tab, 'element', tag, stage.baseUrl + path)));
        }
        expect(await tab.evaluate('told')).not.toContain(SECRET);
      }));
  });
}

test('in trusted isolation a hostile page succeeds, which is why this is never the default', async () => {
  const stage = await sharedStage('trusted');
  const scene = await setScene(stage, 'management');
  const tab = await lure(stage, scene);
  const at = (path: string) => stage.baseUrl + path;
  expect((await attempt(tab, 'fetch', 'GET', at('/api/auth/me'))).text).toContain(scene.victim.username);
  expect((await attempt(tab, 'xhr', 'GET', at('/api/auth/sessions'))).status).toBe(200);
  expect((await attempt(tab, 'fetch', 'POST', at(`/api/pages/${scene.hostile.id}/fork`))).status).toBe(201);
  expect((await attempt(tab, 'form', at('/api/auth/logout'), {})).text).toContain('logged out');
  expect(await belongings(stage, scene, tab.context())).toMatchObject({ total: 3, sessions: undefined });
});

/** Whether the script could read a response other than a refusal. */
function isLeak({ status = 0, text = '' }: Learned): boolean {
  return text !== '' && !([401, 403, 404, 405].includes(status) && text.startsWith('{"error"'));
}

function logoutsAnswered(stage: Stage): number {
  return stage.output().split('"method":"POST","path":"/api/auth/logout"').length - 1;
}
