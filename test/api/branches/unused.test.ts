import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Branch } from '../../../contract/pages/branches/branches.ts';
import { type BranchApp, branchApp } from '../../support/branches/branches.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';
import { waitUntil } from '../../support/server.ts';

/** Branches that nobody uses: their owner is told, and a week later they are gone. */

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

let app: BranchApp;
let smtp: TestSmtp;
beforeAll(async () => {
  smtp = await startSmtp();
  app = await branchApp({ QUIRE_SMTP_URL: smtp.url, QUIRE_MAIL_FROM: 'quire@example.com' });
  await runSql(
    app.quire,
    `update users set email_confirmed_at = 1 where id = ${app.owner.id}`,
    // The test takes two months.
    `update tokens set expires_at = ${Date.now() + 100 * DAY}`,
  );
});
afterAll(async () => {
  await app.quire.stop();
  await smtp.stop();
});

async function pass(milliseconds: number) {
  app.quire.advance(milliseconds);
  await app.quire.app.sweep();
}
const ask = async (method: string, path: string, body?: object) => {
  const response = await app.owner.call(method, path, body && { body });
  expect([path, response.status]).toEqual([path, response.status < 300 ? response.status : 200]);
  return response.body;
};
const list = async (id: number): Promise<Branch[]> =>
  (await ask('GET', `/api/pages/${id}/branches`)).branches;
const ends = async (id: number) =>
  Object.fromEntries((await list(id)).map(({ name, ends_at }) => [name, ends_at !== null]));
const countMails = async () =>
  Number(
    (
      await readSql<{ n: number }>(app.quire, `select count(*) as n from mails where kind = 'branch unused'`)
    )[0]?.n,
  );

test('after 30 days its owner is told, and 7 days later the branch is gone, if nobody has used it', async () => {
  const page = await app.owner.publish({ name: 'Menu', storage_mode: 'social_app' });
  const add = (id: number) => ask('POST', `/api/pages/${id}/social-data/notes`, { data: { text: 'x' } });
  const names = ['idle', 'visited', 'changed', 'stored', 'kept'];
  const ids: Record<string, number> = {};
  for (const name of names) ids[name] = (await app.branch(page.id, name)).page.id;
  const at = (name: string) => `/api/pages/${ids[name]}`;
  await ask('PATCH', `/api/pages/${page.id}/branches/visited`, { access: { mode: 'public' } });
  await pass(MINUTE);
  const since = Math.max(...(await list(page.id)).map(({ used_at }) => Date.parse(used_at)));

  await pass(since + 30 * DAY - Date.now() - 3 * MINUTE);
  expect(await ends(page.id)).toEqual(Object.fromEntries(names.map((name) => [name, false])));
  expect(await countMails()).toBe(0);
  await pass(4 * MINUTE);
  expect(await ends(page.id)).toEqual(Object.fromEntries(names.map((name) => [name, true])));
  // A second sweep, or one of another node, tells nobody again.
  await pass(MINUTE);
  expect(await countMails()).toBe(5);
  const mail = await smtp.nextMail('owner@example.com', /“idle” will be deleted/);
  expect(mail.text).toContain('of your page “Menu” for 30 days');
  expect(mail.text).toContain(`/pages/${ids.idle}`);
  const { unusedBranches } = await ask('GET', '/api/home');
  expect(unusedBranches).toContainEqual({
    ...{ id: ids.idle, name: 'Menu', branch: 'idle' },
    endsAt: (await list(page.id))[0]?.ends_at,
  });

  expect((await app.quire.request('/p/menu--visited')).status).toBe(200);
  await waitUntil(async () => (await ask('GET', at('visited'))).page.views === 1);
  await ask('PATCH', at('changed'), { description: 'New' });
  await add(ids.stored as number);
  await ask('PATCH', `/api/pages/${page.id}/branches/kept`, {});
  await pass(7 * DAY - 3 * MINUTE);
  const kept = { visited: false, changed: false, stored: false, kept: false };
  expect(await ends(page.id)).toEqual({ idle: true, ...kept });
  await pass(3 * MINUTE);
  expect(await ends(page.id)).toEqual(kept);
  expect((await app.owner.call('GET', at('idle'))).status).toBe(404);
  expect((await ask('GET', '/api/home')).unusedBranches).toEqual([]);
  expect(await countMails()).toBe(5);
  expect((await ask('GET', `/api/pages/${page.id}`)).page.name).toBe('Menu');
}, 60_000);

test('an owner without a confirmed address sees it on Home, and the branch is deleted too', async () => {
  await runSql(app.quire, `update users set email_confirmed_at = null where id = ${app.owner.id}`);
  const page = await app.owner.publish({ name: 'Quiet' });
  await app.branch(page.id, 'quiet', { data: 'schema' });
  await pass(MINUTE);
  await pass(31 * DAY);
  expect(await ends(page.id)).toEqual({ quiet: true });
  // What was sent a month ago is forgotten.
  expect(await countMails()).toBe(0);
  const { unusedBranches } = await ask('GET', '/api/home');
  expect(unusedBranches).toContainEqual(expect.objectContaining({ name: 'Quiet', branch: 'quiet' }));
  await pass(7 * DAY);
  expect(await list(page.id)).toEqual([]);
});
