import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { TestUser } from '../../support/app.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';
import { join, readEvents } from '../../support/data/data.ts';
import { runSql } from '../../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';

/** A branch has the team of its page, at every time. */

let smtp: TestSmtp;
let app: BranchApp;
let owner: TestUser;
beforeAll(async () => {
  smtp = await startSmtp();
  app = await branchApp({ QUIRE_SMTP_URL: smtp.url });
  ({ owner } = app);
  await runSql(app.quire, `update users set email_confirmed_at = 1 where id = ${owner.id}`);
});
afterAll(async () => {
  await app.quire.stop();
  await smtp.stop();
});

const publish = () =>
  owner.publish({ name: 'Plans', html_content: '<p>Plans</p>', storage_mode: 'team_app' });
const read = async (user: TestUser, pageId: number) =>
  (await user.call('GET', `/api/pages/${pageId}/team-data/notes`)).status;
const write = async (user: TestUser, pageId: number) =>
  (await user.call('POST', `/api/pages/${pageId}/team-data/notes`, { body: { data: { n: 1 } } })).status;

test('who joins the page, gets another role or is removed, has that role on its branches at once', async () => {
  const page = await publish();
  const [early, late] = [await app.quire.user('early'), await app.quire.user('late')];
  await join(app.quire, owner, page, early, 'viewer');
  const branch = await app.branch(page.id, 'try');
  const id = branch.page.id;
  expect([await read(early, id), await write(early, id)]).toEqual([200, 403]);
  expect([await read(late, id), await write(late, id)]).toEqual([403, 403]);
  await join(app.quire, owner, page, late, 'member');
  expect([await read(late, id), await write(late, id)]).toEqual([200, 201]);
  const promoted = { body: { role: 'admin' } };
  expect((await owner.call('PATCH', `/api/pages/${page.id}/team/${early.id}`, promoted)).status).toBe(200);
  expect(await write(early, id)).toBe(201);
  const { members } = (await late.call('GET', `/api/pages/${id}/team`)).body;
  expect(
    members.map(({ user, role }: { user: { username: string }; role: string }) => [user.username, role]),
  ).toEqual([
    ['owner', 'owner'],
    ['early', 'admin'],
    ['late', 'member'],
  ]);
  const shared = (await early.call('GET', `/api/pages/shared?page=${id}`)).body.pages;
  expect(shared).toMatchObject([{ id, role: 'admin', can_edit: true }]);
  expect((await early.call('PATCH', `/api/pages/${id}`, { body: { name: 'Renamed' } })).status).toBe(200);

  for (const user of [early, late])
    expect((await owner.call('DELETE', `/api/pages/${page.id}/team/${user.id}`)).status).toBe(204);
  for (const user of [early, late]) expect([await read(user, id), await write(user, id)]).toEqual([403, 403]);
  expect((await early.call('PATCH', `/api/pages/${id}`, { body: { name: 'Mine' } })).status).toBe(403);
  expect((await early.call('GET', `/api/pages/shared?page=${id}`)).body.pages).toEqual([]);
  const cookie = await late.login();
  expect((await app.quire.request(`/p/${branch.page.slug}`, { headers: { cookie } })).status).toBe(403);
});

test('a stream of a branch ends for somebody who is removed from the team of the page', async () => {
  const page = await publish();
  const member = await app.quire.user('streams');
  await join(app.quire, owner, page, member, 'member');
  const { page: branch } = await app.branch(page.id, 'live');
  const response = await app.quire.request(`/api/pages/${branch.id}/events?collections=notes`, {
    headers: { authorization: `Bearer ${member.token}` },
  });
  expect(response.status).toBe(200);
  const stream = readEvents(response);
  await stream.until(1, 'open');
  await owner.call('DELETE', `/api/pages/${page.id}/team/${member.id}`);
  await stream.ended;
});

test('the team of a branch is changed on its page', async () => {
  const page = await publish();
  const admin = await app.quire.user('admin');
  await join(app.quire, owner, page, admin, 'admin');
  const { page: branch } = await app.branch(page.id, 'own');
  const team = `/api/pages/${branch.id}/team`;
  for (const [by, method, path, body] of [
    [owner, 'POST', `${team}/invite`, { role: 'viewer' }],
    [owner, 'POST', `${team}/invites`, { role: 'viewer', email: 'new@example.org' }],
    [owner, 'PATCH', `${team}/${admin.id}`, { role: 'viewer' }],
    [owner, 'DELETE', `${team}/${admin.id}`, undefined],
    [admin, 'DELETE', `${team}/me`, undefined],
  ] as const) {
    const answer = await by.call(method, path, body && { body });
    expect([path, answer.status, answer.body.code]).toEqual([path, 409, 'CONFLICT']);
    expect(answer.body.error).toContain(`has the id ${page.id}`);
  }
  expect(await write(admin, branch.id)).toBe(201);
});

test('members of the page are the team of functions of a branch', async () => {
  const slug = await app.deploy(handler('return Response.json(await env.TEAM.list())'));
  const page = await owner.publish({ name: 'Asked', storage_mode: 'team_app', functions: [slug] });
  const { page: branch } = await app.branch(page.id, 'asked');
  const member = await app.quire.user('asked');
  await join(app.quire, owner, page, member, 'member');
  const team = [
    { username: 'owner', role: 'owner' },
    { username: 'asked', role: 'member' },
  ];
  expect((await app.callFrom(branch.id, slug)).body).toBe(JSON.stringify(team));
});

test('a branch of a page without a team can be for the team again, which is its owner', async () => {
  for (const storage_mode of ['page', 'social_app']) {
    const page = await owner.publish({ name: storage_mode, html_content: '<p>x</p>', storage_mode });
    const { page: branch } = await app.branch(page.id, 'open');
    for (const path of [`/api/pages/${page.id}/branches/open`, `/api/pages/${branch.id}`])
      for (const [mode, status] of [
        ['public', 200],
        ['team', 403],
      ] as const) {
        const set = await owner.call('PATCH', path, { body: { access: { mode } } });
        expect([path, mode, set.status]).toEqual([path, mode, 200]);
        const cookie = await app.stranger.login();
        expect((await app.quire.request(`/p/${branch.slug}`, { headers: { cookie } })).status).toBe(status);
      }
    const refused = await owner.call('PATCH', `/api/pages/${page.id}`, {
      body: { access: { mode: 'team' } },
    });
    expect(refused.status).toBe(400);
  }
});

test('the addresses of branches follow their page, and the old ones lead there', async () => {
  const page = await owner.publish({ name: 'Moving', html_content: '<p>main</p>' });
  const { page: branch } = await app.branch(page.id, 'b');
  const cookie = await owner.login();
  const open = (slug: string) => app.quire.request(`/p/${slug}`, { headers: { cookie } });
  // It is in memory under its old address.
  expect((await open(branch.slug)).status).toBe(200);
  const renamed = await owner.call('PATCH', `/api/pages/${page.id}`, { body: { slug: 'moved-page' } });
  expect(renamed.status).toBe(200);
  expect((await open('moved-page--b')).status).toBe(200);
  const old = await open(branch.slug);
  expect([old.status, old.headers.get('location')]).toEqual([
    301,
    expect.stringContaining('/p/moved-page--b'),
  ]);
  const { body } = await owner.call('GET', `/api/pages/${page.id}/branches/b`);
  expect(body.page.slug).toBe('moved-page--b');
  await owner.call('PATCH', `/api/pages/${page.id}/branches/b`, { body: { name: 'c' } });
  expect((await open('moved-page--c')).status).toBe(200);
});

test('mail about messages of forms on a branch is only in its outbox; people who are invited to see it get mail', async () => {
  const page = await owner.publish({ name: 'Contact', html_content: '<form name="hello"></form>' });
  const { page: branch } = await app.branch(page.id, 'forms');
  const send = async (id: number, text: string) => {
    const headers = { authorization: `Bearer ${owner.token}`, 'content-type': 'application/json' };
    const body = JSON.stringify({ text });
    expect(
      (await app.quire.request(`/api/pages/${id}/forms/hello`, { method: 'POST', headers, body })).status,
    ).toBe(201);
  };
  await send(branch.id, 'From the branch');
  await send(page.id, 'From the page');
  const sent = await smtp.nextMail('owner@example.com', /Contact/);
  expect(sent.text).toContain('From the page');
  const outbox = `/api/pages/${page.id}/branches/forms/outbox`;
  const { mails } = (await owner.call('GET', outbox)).body;
  expect(mails).toMatchObject([{ subject: 'New message from “Contact”', to: ['owner@example.com'] }]);
  expect(mails[0].text).toContain('From the branch');
  expect(smtp.mails.filter(({ text }) => text.includes('From the branch'))).toEqual([]);

  await owner.call('PATCH', `/api/pages/${branch.id}/forms`, { body: { formNotices: false } });
  await send(branch.id, 'Not wanted');
  expect((await owner.call('GET', outbox)).body.mails).toHaveLength(1);

  const access = { mode: 'people', people: ['guest@example.org'] };
  await owner.call('PATCH', `/api/pages/${branch.id}`, { body: { access } });
  expect((await smtp.nextMail('guest@example.org', /shared/)).text).toContain(`/p/${branch.slug}`);
});
