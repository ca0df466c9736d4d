import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { type PublishedPage, type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';
import { openSandboxed } from '../../support/pages/sessions.ts';

/** Invites to a team that the service sends. */

let smtp: TestSmtp;
let quire: TestApp;
let owner: TestUser;
let team: PublishedPage;
beforeAll(async () => {
  smtp = await startSmtp();
  quire = await testApp({ QUIRE_SMTP_URL: smtp.url, QUIRE_ISOLATION: 'sandbox' });
  owner = await quire.user('olga');
  team = await newTeam('Garden plans');
});
afterAll(async () => {
  await quire.stop();
  await smtp.stop();
});

const newTeam = (name: string, by = owner) => by.publish({ name, storage_mode: 'team_app' });
const at = ({ id }: PublishedPage) => `/api/pages/${id}/team/invites`;
const send = (page: PublishedPage, body: unknown, by = owner) => by.call('POST', at(page), { body });
const queuedTo = (pattern: string) =>
  readSql<{ id: number }>(quire, `select id from mails where recipient like '${pattern}'`);

/** Adds somebody to the team with this role. */
async function joined(name: string, role: string): Promise<TestUser> {
  const user = await quire.user(name);
  const body = { role, maxUses: 1 };
  const { body: made } = await owner.call('POST', `/api/pages/${team.id}/team/invite`, { body });
  expect((await user.call('POST', `/api/join/${made.inviteCode}`)).status).toBe(200);
  return user;
}

describe('an invite by mail', () => {
  test('brings a link with which one person can join, and is listed with its address', async () => {
    const { status, body } = await send(team, { email: 'Gina@Example.com', role: 'viewer' });
    expect([status, body]).toEqual([
      201,
      {
        ...{ inviteCode: expect.any(String), inviteUrl: `${quire.baseUrl}/join/${body.inviteCode}` },
        ...{ role: 'viewer', expiresAt: expect.any(String), email: 'gina@example.com', isMailed: true },
      },
    ]);
    const mail = await smtp.nextMail('gina@example.com', /team/);
    expect(mail.subject).toBe('olga invites you to the team of “Garden plans”');
    expect(mail.links[0]).toBe(body.inviteUrl);
    expect(mail.text).toContain('As a viewer, you can read records');
    const listed = (await owner.call('GET', at(team))).body;
    expect(listed.sendsMail).toBe(true);
    expect(listed.invites[0]).toMatchObject({ email: 'gina@example.com', maxUses: 1, uses: 0 });
    expect(JSON.stringify(listed)).not.toContain(body.inviteCode);
    const [gina, other] = [await quire.user('gina'), await quire.user('other')];
    expect((await gina.call('POST', `/api/join/${body.inviteCode}`)).body.role).toBe('viewer');
    expect((await other.call('POST', `/api/join/${body.inviteCode}`)).status).toBe(404);
  });

  test('shows what people wrote as text, and has no header of theirs', async () => {
    const page = await newTeam('Fun\r\nBcc: victim@evil.example https://evil.example <b>');
    await send(page, { email: 'careful@example.com' });
    const mail = await smtp.nextMail('careful@example.com');
    expect(mail.raw).not.toMatch(/^bcc:/im);
    expect(`${mail.text}${mail.html}`).not.toContain('evil.example');
    expect(smtp.mailsTo('victim@evil.example')).toEqual([]);
  });

  test.each([
    {},
    { email: '' },
    { email: 'nobody' },
    { email: 'a@b.example\r\nRCPT TO:<c@d.example>' },
    { email: 'a@b.example, c@d.example' },
    { email: ['a@b.example'] },
    { email: `${'a'.repeat(250)}@b.example` },
    { email: 'a@b.example', role: 'owner' },
    { email: 'a@b.example', maxUses: 0 },
    { email: 'a@b.example', note: 'hello' },
  ])('is refused for %j', async (body) => {
    expect((await send(team, body)).status).toBe(400);
    expect(await queuedTo('%b.example%')).toEqual([]);
  });

  test('is for the owner and admins, for roles below their own', async () => {
    const [admin, member] = [await joined('adam', 'admin'), await joined('mia', 'member')];
    const stranger = await quire.user('stranger');
    const fetchStatus = async (by: TestUser, role: string, email = 'denied@example.com') =>
      (await send(team, { email, role }, by)).status;
    expect(await fetchStatus(member, 'viewer')).toBe(403);
    expect(await fetchStatus(stranger, 'viewer')).toBe(403);
    expect(await fetchStatus(admin, 'admin')).toBe(403);
    expect((await quire.call('POST', at(team), { body: { email: 'denied@example.com' } })).status).toBe(401);
    expect(await queuedTo('denied@%')).toEqual([]);
    expect(await fetchStatus(admin, 'member', 'allowed@example.com')).toBe(201);
    expect((await smtp.nextMail('allowed@example.com')).subject).toStartWith('adam invites you');
    const solo = await owner.publish({ storage_mode: 'solo_app' });
    expect((await send(solo, { email: 'denied@example.com' })).status).toBe(409);
  });

  test('cannot be sent by a page in the name of its visitor', async () => {
    const session = await openSandboxed(quire, team, await owner.login());
    const headers = { 'x-page-session': session, origin: 'null' };
    const link = await quire.call('POST', `/api/pages/${team.id}/team/invite`, { headers, body: {} });
    expect(link.status).toBe(200);
    const sent = await quire.call('POST', at(team), { headers, body: { email: 'visitor@example.com' } });
    expect(sent.status).toBe(401);
    expect(await queuedTo('visitor@%')).toEqual([]);
  });
});

describe('too much mail', () => {
  test('to one address: the link is made, and the answer says that it was not sent', async () => {
    const page = await newTeam('Often');
    const answers = [];
    for (let count = 0; count < 6; count++) {
      answers.push((await send(page, { email: `often+${count}@example.com` })).body.isMailed);
    }
    expect(answers).toEqual([true, true, true, true, true, false]);
    const { invites } = (await owner.call('GET', at(page))).body;
    expect(invites).toHaveLength(6);
    // The newest is the one that was not sent.
    expect(invites.map(({ email }: { email?: string }) => email)).toEqual([
      undefined,
      ...[4, 3, 2, 1, 0].map((count) => `often+${count}@example.com`),
    ]);
  });

  test('by one owner: invites and shared pages count together, whoever of the team sends them', async () => {
    const pia = await quire.user('pia');
    const page = await newTeam('Many', pia);
    const people = Array.from({ length: 49 }, (_, count) => `p${count}@many.example`);
    await pia.publish({ access: { mode: 'people', people } });
    expect(await queuedTo('%@many.example')).toHaveLength(49);
    const { inviteCode } = (
      await pia.call('POST', `/api/pages/${page.id}/team/invite`, { body: { role: 'admin' } })
    ).body;
    const admin = await quire.user('paul');
    await admin.call('POST', `/api/join/${inviteCode}`);
    expect((await send(page, { email: 'last@many.example' }, admin)).body.isMailed).toBe(true);
    expect((await send(page, { email: 'late@many.example' }, pia)).body.isMailed).toBe(false);
    expect(await queuedTo('%@many.example')).toHaveLength(50);
  });
});

test('the address is forgotten when its person deletes their account', async () => {
  const leaver = await quire.user('leaver');
  await send(team, { email: 'leaver@example.com', maxUses: 2 });
  await send(team, { email: 'stays@example.com' });
  await runSql(quire, `update users set removal_due_at = 1 where id = ${leaver.id}`);
  await quire.app.sweep();
  const addresses = (await readSql<{ email: string | null }>(quire, 'select email from team_invites')).map(
    ({ email }) => email,
  );
  expect(addresses).toContain('stays@example.com');
  expect(addresses).not.toContain('leaver@example.com');
});

test('without a mail server it is 501, and no link is made', async () => {
  const quiet = await testApp();
  try {
    const user = await quiet.user('quiet');
    const page = await newTeam('Quiet', user);
    const { status, body } = await send(page, { email: 'a@b.example' }, user);
    expect([status, body.code]).toEqual([501, 'NOT_INSTALLED']);
    expect((await user.call('GET', at(page))).body).toEqual({ invites: [], sendsMail: false });
  } finally {
    await quiet.stop();
  }
});
