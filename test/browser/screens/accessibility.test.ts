import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test';
import { gzipSync } from 'node:zlib';
import { collectComplaints, expectReadable, overflow } from '../../support/browser/accessibility.ts';
import { closeTabs, type Person, type Published, type Stage } from '../../support/browser/stage.ts';
import { authorizeQuery, pkce } from '../../support/oauth.ts';
import { untilPrinted } from '../../support/server.ts';
import { type AccountScreens, openAccountScreens } from '../accounts/screens.ts';

/** Rules for every screen of the service, in every state that has a URL. */

const NARROW = { width: 320, height: 640 };
const MAX_GZIPPED_BYTES = 6 * 1024;

/** The screens with a script: those that ask for a passkey. */
const ASKS_FOR_PASSKEY = /^\/login(\/second-factor)?(\?|$)/;

let opened: AccountScreens;
let stage: Stage;
let owner: Person;
let visitor: Person;
let paths: Record<'guest' | 'visitor', string[]>;
beforeAll(async () => {
  opened = await openAccountScreens();
  stage = opened.stage;
  owner = await stage.register('olga-screens');
  visitor = await stage.register('a-name-as-long-as-they-may-be-32');
  const asking = { page_api_ai_enabled: true, page_api_image_gen_enabled: true, storage_mode: 'team_app' };
  const page = await stage.publish(owner, '<p>x', { name: 'Стихи 📚 قصائد <b>', ...asking });
  const long = await stage.publish(owner, '<p>x', { name: 'Wochenplan'.repeat(20), ...asking });
  const allowed = await stage.publish(owner, '<p>x', { name: 'Allowed', ...asking });
  const plain = await stage.publish(owner, '<p>x', { name: 'Plain' });
  const draft = await stage.publish(owner, '<p>x', { name: 'Draft', is_published: false });
  await stage.call('POST', '/api/credits/consents', {
    cookie: await fetchCookie(visitor),
    body: { pageId: allowed.id, limit: 5 },
  });
  const [toPage, toLong, toMember] = await Promise.all([invite(page), invite(long), invite(allowed)]);
  await stage.call('POST', `/api${toMember}`, { body: {}, token: visitor.token });
  const app = { client_name: 'Wochenplan'.repeat(9), redirect_uris: ['https://wochenplan.example/callback'] };
  const { client_id } = (await stage.call('POST', '/oauth/register', { body: app })).body;
  const asked = { client_id, redirect_uri: app.redirect_uris[0] ?? '', ...pkce() };
  const authorize = (more = {}) => `/oauth/authorize?${authorizeQuery({ ...asked, more })}`;
  const html_content = `<title>${'Wochenplan'.repeat(20)}</title>`;
  const claim = new URL((await stage.call('POST', '/api/publish', { body: { html_content } })).body.claim);
  const toClaim = claim.pathname + claim.search;
  const setup = await untilPrinted(stage, /\/setup\?code=\S+/);
  paths = {
    guest: [
      '/login',
      '/login?next=/docs/api',
      '/register',
      '/logout',
      '/logout?next=/docs/api',
      setup,
      '/setup?code=used',
      toPage,
      '/join/no-such-invite',
      toClaim,
      '/claim/1?code=unknown',
      `/p/${draft.slug}`,
      '/nothing',
      ...opened.paths,
    ],
    visitor: [
      '/logout',
      ...[page, long, allowed, plain].map(({ id }) => `/consent?page=${id}`),
      '/consent?page=999999',
      authorize(),
      authorize({ resource: `${stage.baseUrl}/p/${long.slug}/mcp` }),
      authorize({ response_type: 'token' }),
      authorize({ redirect_uri: 'https://evil.example/' }),
      '/device',
      '/device?user_code=BCDF-GHJK',
      toPage,
      toLong,
      toMember,
      toClaim,
    ],
  };
});
afterEach(closeTabs);
afterAll(() => opened.close());

async function fetchCookie({ username }: Person): Promise<string> {
  const tab = await stage.enter({ id: 0, username, token: '' });
  const [cookie] = await tab.context().cookies(stage.baseUrl);
  await tab.context().close();
  return `${cookie?.name}=${cookie?.value}`;
}

async function invite(to: Published): Promise<string> {
  const { body } = await stage.call('POST', `/api/pages/${to.id}/team/invite`, {
    body: {},
    token: owner.token,
  });
  return new URL(body.inviteUrl).pathname;
}

test.each(['guest', 'visitor'] as const)(
  'every screen for a %s is readable in light and dark mode, fits the narrowest phone, and runs no script but that of passkeys',
  async (who) => {
    const tab = await stage.enter(who === 'guest' ? undefined : visitor);
    if (who === 'guest') await tab.context().addCookies(opened.cookies);
    const complaints = collectComplaints(tab);
    await tab.setViewportSize(NARROW);
    for (const path of paths[who]) {
      const response = await tab.goto(stage.baseUrl + path);
      const headers = response?.headers() ?? {};
      const policy = headers['content-security-policy'] ?? '';
      expect(policy).toContain("default-src 'none'");
      expect(policy).toContain("frame-ancestors 'none'");
      const [, script] = /script-src ([^;]*)/.exec(policy) ?? [];
      const allowed = ASKS_FOR_PASSKEY.test(path) ? `${stage.baseUrl}/assets/passkeys.js` : undefined;
      expect({ path, script }).toEqual({ path, script: allowed });
      expect(headers['x-frame-options']).toBe('DENY');
      expect(headers['cache-control']).toBe('no-store');
      const text = (await response?.text()) ?? '';
      expect({ path, scripts: text.split('<script').length - 1 }).toEqual({ path, scripts: allowed ? 1 : 0 });
      expect({ path, isSmall: gzipSync(text).length < MAX_GZIPPED_BYTES }).toEqual({ path, isSmall: true });
      expect({ path, overflow: await overflow(tab) }).toEqual({ path, overflow: 0 });
      await expectReadable(tab);
    }
    expect(complaints).toEqual([]);
  },
);

test('no browser shows the login form in a frame', async () => {
  const tab = await stage.enter();
  await tab.goto(`${stage.baseUrl}/healthz`);
  await tab.setContent(`<iframe src="${stage.baseUrl}/login"></iframe>`);
  const frame = await (await tab.waitForSelector('iframe')).contentFrame();
  await frame?.waitForURL('chrome-error://chromewebdata/');
  expect(await frame?.locator('input').count()).toBe(0);
});
