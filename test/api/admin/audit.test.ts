import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { purgeAudit, recordAudit } from '../../../server/platform/audit/index.ts';
import { startStorage } from '../../../server/platform/storage/index.ts';
import { type Administrator, administrator } from '../../support/accounts/administrator.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';

/** Who did what, when, from where, and what its owner sees of it. */

const DAY_MS = 24 * 3600 * 1000;

let quire: TestApp;
let boss: Administrator;
let owner: TestUser;
beforeAll(async () => {
  quire = await testApp();
  boss = await administrator(quire, 'boss');
  owner = await quire.user('owner');
});
afterAll(() => quire.stop());

const audit = async (query = '') => (await boss.admin('GET', `/api/admin/audit?${query}`)).body;
const actions = async (query: string) =>
  (await audit(query)).entries.map(({ action }: { action: string }) => action);

describe('what an administrator does', () => {
  beforeAll(async () => {
    const page = await owner.publish({ name: 'Audited' });
    const code = 'export default { fetch: () => new Response("") }';
    await owner.call('POST', '/api/functions', { body: { slug: 'audited', code } });
    const user = `/api/admin/users/${owner.id}`;
    for (const [method, path, body] of [
      ['POST', `/api/admin/pages/${page.id}/take-down`, { reason: 'Bad page' }],
      ['POST', `/api/admin/pages/${page.id}/restore`],
      ['POST', '/api/admin/functions/audited/take-down', { reason: 'Bad function' }],
      ['POST', '/api/admin/functions/audited/restore'],
      ['POST', `${user}/suspend`, { reason: 'Bad person' }],
      ['POST', `${user}/restore`],
      ['POST', `${user}/promote`],
      ['POST', `${user}/demote`],
      ['PUT', `${user}/quota`, { pages: 5, functions: null, bytes: 0 }],
      ['POST', `${user}/credits`, { credits: 3, reason: 'Thanks' }],
      ['DELETE', `${user}/sessions`],
    ] as const)
      expect(await boss.admin(method, path, body), path).toMatchObject({ status: 200 });
    owner.token = (
      await quire.call('POST', '/api/auth/token', {
        body: { username: 'owner', password: owner.password },
      })
    ).body.accessToken;
  });

  const ALL = [
    'user.end_sessions',
    'user.grant_credits',
    'user.set_quota',
    'user.demote',
    'user.promote',
    'user.restore',
    'user.suspend',
    'function.restore',
    'function.take_down',
    'page.restore',
    'page.take_down',
  ];

  test('is in the log, with who, what, when, why and from where', async () => {
    const { entries } = await audit('actor=BOSS');
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(ALL);
    expect(entries[10]).toEqual({
      id: expect.any(Number),
      at: expect.stringMatching(/^20\d\d-/),
      actor: 'boss',
      actorId: boss.id,
      action: 'page.take_down',
      target: { kind: 'page', id: expect.any(Number), name: 'audited' },
      address: '127.0.0.1',
      details: { reason: 'Bad page' },
    });
  });

  test('is visible to the owner, without the address', async () => {
    const activity = await quire.call('GET', '/api/auth/activity', { token: owner.token });
    expect(activity.status).toBe(200);
    const { entries, next } = activity.body;
    expect(entries.map(({ action }: { action: string }) => action)).toEqual(ALL);
    expect(next).toBeNull();
    expect(entries[4]).toMatchObject({ actor: 'boss', target: { kind: 'user', name: 'owner' } });
    expect(JSON.stringify(entries)).not.toContain('127.0.0.1');
    expect((await boss.call('GET', '/api/auth/activity')).body.entries).toEqual([]);
    expect((await quire.call('GET', '/api/auth/activity')).status).toBe(401);
    const personal = { name: 'agent', scopes: ['pages:read'] };
    const made = await quire.call('POST', '/api/auth/tokens', { token: owner.token, body: personal });
    expect((await quire.call('GET', '/api/auth/activity', { token: made.body.token })).status).toBe(403);
  });

  test('is found by actor, action, target and time', async () => {
    expect(await actions('action=page.take_down')).toEqual(['page.take_down']);
    expect(await actions('action=page.')).toEqual(['page.restore', 'page.take_down']);
    expect(await actions('action=pag')).toEqual([]);
    expect(await actions('target=owner&action=user.promote')).toEqual(['user.promote']);
    expect(await actions('actor=somebody')).toEqual([]);
    const future = new Date(Date.now() + DAY_MS).toISOString();
    expect(await actions(`from=${future}`)).toEqual([]);
    expect((await actions(`to=${future}`)).length).toBe(11);
    expect((await actions(`from=2020-01-01T00:00:00Z&to=2020-02-01T00:00:00Z`)).length).toBe(0);
  });

  test('is read page by page, each entry once', async () => {
    const seen: string[] = [];
    let next: number | null = null;
    do {
      const page = await audit(`actor=boss&limit=4${next === null ? '' : `&before=${next}`}`);
      seen.push(...page.entries.map(({ action }: { action: string }) => action));
      next = page.next;
    } while (next !== null);
    expect(seen).toEqual(ALL);
    expect((await audit('actor=boss&limit=11')).next).toBeNull();
  });

  test.each(['limit=0', 'limit=201', 'before=0', 'before=x', 'from=yesterday', `action=${'x'.repeat(101)}`])(
    'is not found by %s',
    async (query) => {
      expect((await boss.admin('GET', `/api/admin/audit?${query}`)).status).toBe(400);
    },
  );
});

test('entries are kept for 400 days', async () => {
  const storage = await startStorage({ dataFolder: quire.dataFolder, databaseUrl: quire.databaseUrl });
  try {
    const { db } = storage;
    const now = Date.now();
    const target = { kind: 'test', id: null, name: 'old' };
    const entry = { actor: undefined, target, address: '' };
    await db.transaction().execute(async (tx) => {
      await recordAudit(tx, { ...entry, action: 'test.kept', now: now - 400 * DAY_MS });
      await recordAudit(tx, { ...entry, action: 'test.gone', now: now - 400 * DAY_MS - 1 });
    });
    await purgeAudit({ db, now: () => now });
    expect(await actions('action=test.')).toEqual(['test.kept']);
    expect((await audit('action=test.kept')).entries[0]).toMatchObject({
      actor: 'the operator',
      actorId: null,
    });
    expect(await actions('actor=The%20operator')).toEqual(['test.kept']);
  } finally {
    await storage.stop();
  }
});

test('mail tells owners what an administrator did, if their address is confirmed', async () => {
  const told = await testApp({ QUIRE_SMTP_URL: 'smtp://127.0.0.1:1', QUIRE_MAIL_FROM: 'quire@example.com' });
  try {
    const admin = await administrator(told, 'boss');
    const [confirmed, other] = [await told.user('confirmed'), await told.user('other')];
    await runSql(told, `update users set email_confirmed_at = 1 where id = ${confirmed.id}`);
    for (const user of [confirmed, other]) {
      const page = await user.publish();
      for (const [path, body] of [
        [`/api/admin/pages/${page.id}/take-down`, { reason: 'Bad page' }],
        [`/api/admin/pages/${page.id}/restore`, {}],
        [`/api/admin/users/${user.id}/suspend`, { reason: 'Bad person' }],
        [`/api/admin/users/${user.id}/restore`, {}],
      ] as const)
        expect((await admin.admin('POST', path, body)).status).toBe(200);
    }
    const sent = await readSql<{ recipient: string; kind: string }>(
      told,
      "select recipient, kind from mails where kind not in ('confirm address', 'new sign-in') order by id",
    );
    const to = 'confirmed@example.com';
    expect(sent).toEqual([
      { recipient: to, kind: 'page taken down' },
      { recipient: to, kind: 'page restored' },
      { recipient: to, kind: 'account suspended' },
      { recipient: to, kind: 'account restored' },
    ]);
  } finally {
    await told.stop();
  }
});
