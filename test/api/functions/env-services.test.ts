import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import type { PublishedPage, TestUser } from '../../support/app.ts';
import { join } from '../../support/data/data.ts';
import { runSql } from '../../support/engines/storage.ts';
import { type FunctionApp, functionApp, handler } from '../../support/functions/app.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';
import { enterPage } from '../../support/pages/sessions.ts';

/** What functions of a page can do with `env`. */

/** Does with `env` what it is told to, and returns the result or the error. */
const TOLD = handler(`
  const { service, as, path = [], args = [], visit } = await request.json();
  const asked = visit === undefined ? request : new Request(request.url, { headers: { 'x-quire-visit': visit } });
  try {
    let target = env[service];
    if (as) target = target.as(asked);
    for (const step of path) target = typeof step === 'string' ? target[step] : target[step[0]](step[1]);
    const method = args.shift();
    const data = await target[method](...args);
    return Response.json({ data, visit: request.headers.get('x-quire-visit') });
  } catch (error) {
    return Response.json({ error: error.message, code: error.code });
  }`);

interface Told {
  service: 'MAIL' | 'DATA' | 'FORMS' | 'TEAM' | 'FUNCTIONS';
  as?: boolean;
  path?: unknown[];
  args?: unknown[];
  visit?: string;
}

let app: FunctionApp;
let smtp: TestSmtp;
let page: PublishedPage;
let slug: string;
beforeAll(async () => {
  smtp = await startSmtp();
  app = await functionApp({ QUIRE_SMTP_URL: smtp.url, QUIRE_FORMS_PER_MINUTE: '0' });
  await confirm(app.owner);
  slug = await app.deploy(TOLD);
  page = await app.owner.publish({ name: 'Club', storage_mode: 'team_app', functions: [slug] });
});
afterAll(async () => {
  await app.quire.stop();
  await smtp.stop();
});

const confirm = (user: TestUser) =>
  runSql(app.quire, `update users set email_confirmed_at = 1 where id = ${user.id}`);
const tell = async (told: Told, called = slug) => (await app.call(called, told)).body;
const inTeam = (collection: string, ...args: unknown[]): Told => ({
  service: 'DATA',
  path: [['team', collection]],
  args,
});
const toHost = ({ id }: { id: number }) => `http://p${id}.pages.localhost:3000`;

/** Calls the function as a visitor of a page. */
async function tellAs(user: TestUser, told: Told, on = page, called = slug) {
  const cookie = await enterPage(app.quire, on, await user.login());
  const headers = { cookie, origin: toHost(on), 'content-type': 'application/json' };
  const response = await app.quire.request(`${toHost(on)}/api/functions/${called}`, {
    method: 'POST',
    headers,
    body: JSON.stringify(told),
  });
  return (await response.json()) as { data?: never; error?: string; code?: string; visit: string };
}

test('a function without a page learns what to do', async () => {
  const alone = await app.deploy(TOLD);
  for (const service of ['MAIL', 'DATA', 'FORMS', 'TEAM', 'FUNCTIONS'] as const) {
    const told: Record<string, Told> = {
      MAIL: { service, args: ['send', { to: 'owner', subject: 'a', text: 'b' }] },
      DATA: inTeam('notes', 'list'),
      FORMS: { service, args: ['list', 'contact'] },
      TEAM: { service, args: ['list'] },
      FUNCTIONS: { service, args: ['call', slug, {}] },
    };
    const { error, code } = await tell(told[service] as Told, alone);
    expect(code).toBe('FORBIDDEN');
    expect(error).toContain(`The function ${alone} belongs to no page, and env.${service} is for`);
  }
  // The page that it belongs to counts as it is now.
  const other = await app.owner.publish({ storage_mode: 'team_app', functions: [alone] });
  expect(await tell(inTeam('notes', 'list'), alone)).toMatchObject({ data: { records: [] } });
  await app.owner.call('DELETE', `/api/pages/${other.id}`);
  expect((await tell(inTeam('notes', 'list'), alone)).code).toBe('FORBIDDEN');
});

test('secrets keep their names', async () => {
  const named = await app.deploy(handler('return Response.json([env.MAIL, typeof env.DATA.team])'));
  await app.owner.call('PUT', `/api/functions/${named}/secrets/MAIL`, { body: { value: 'mine' } });
  expect((await app.call(named)).body).toEqual(['mine', 'function']);
});

describe('env.DATA', () => {
  test('has all operations, with the rights of the owner, on the page only', async () => {
    const created = (await tell(inTeam('notes', 'create', { text: 'one', n: 1 }))).data;
    expect(created).toMatchObject({ data: { text: 'one', n: 1 }, createdBy: { id: app.owner.id } });
    await tell(inTeam('notes', 'create', { text: 'two', n: 2 }));
    const { data } = await tell(
      inTeam('notes', 'list', { where: { n: { gt: 1 } }, orderBy: 'data.n', limit: 5 }),
    );
    expect([data.total, data.records[0].data.text]).toEqual([1, 'two']);
    expect((await tell(inTeam('notes', 'update', created.id, { n: 5 }))).data.data).toEqual({
      text: 'one',
      n: 5,
    });
    expect((await tell(inTeam('notes', 'replace', created.id, { n: 6 }))).data.data).toEqual({ n: 6 });
    expect((await tell(inTeam('notes', 'get', created.id))).data.data).toEqual({ n: 6 });
    expect((await tell(inTeam('notes', 'count'))).data).toEqual({ count: 2 });
    expect(await tell(inTeam('notes', 'delete', created.id))).toEqual({ visit: null });
    const gone = await tell(inTeam('notes', 'get', created.id));
    expect([gone.code, gone.error]).toEqual(['NOT_FOUND', 'DATA.team.get: This record was not found.']);
    expect((await tell(inTeam('notes', 'delete', 'schema'))).code).toBe('NOT_FOUND');
    for (const name of ['../1/notes', '..', '.'])
      expect((await tell(inTeam(name, 'list'))).code).toBe('BAD_REQUEST');
    for (const [length, code] of [
      [60_000, 'BAD_REQUEST'],
      [66_000, 'PAYLOAD_TOO_LARGE'],
    ] as const)
      expect((await tell(inTeam('notes', 'list', { orderBy: 'x'.repeat(length) }))).code).toBe(code);
    const wrong = await tell({ service: 'DATA', path: [['social', 'notes']], args: ['list'] });
    expect([wrong.code, wrong.error]).toEqual(['CONFLICT', expect.stringContaining('storage mode team_app')]);
  });

  test('acts with the rights of the visitor who called, which nobody can make up', async () => {
    const viewer = await app.quire.user('env-viewer');
    await join(app.quire, app.owner, page, viewer, 'viewer');
    const member = await app.quire.user('env-member');
    await join(app.quire, app.owner, page, member, 'member');
    const add = { ...inTeam('notes', 'create', { text: 'by' }), as: true };
    expect((await tellAs(viewer, add)).code).toBe('FORBIDDEN');
    const made = await tellAs(member, add);
    expect(made.data).toMatchObject({ createdBy: { id: member.id } });
    // A caller who is not a visitor of the page is a guest.
    expect((await tell(add)).code).toBe('UNAUTHORIZED');
    // The text that names the visitor is for this function, and nobody else's.
    expect((await tell({ ...add, visit: made.visit })).data).toMatchObject({ createdBy: { id: member.id } });
    for (const visit of [`${made.visit}x`, made.visit.slice(0, -4), 'e30.e30', 'null'])
      expect((await tell({ ...add, visit })).code).toBe('UNAUTHORIZED');
    const elsewhere = await app.deploy(TOLD);
    await app.owner.publish({ storage_mode: 'team_app', functions: [elsewhere] });
    expect((await tell({ ...add, visit: made.visit }, elsewhere)).code).toBe('UNAUTHORIZED');
    const foreign = await app.deploy(TOLD, {}, app.stranger);
    await app.stranger.publish({ storage_mode: 'team_app', functions: [foreign] });
    expect((await tell({ ...add, visit: made.visit }, foreign)).code).toBe('UNAUTHORIZED');
    // It ends, and so does the login behind it.
    await app.owner.call('PATCH', `/api/pages/${page.id}`, { body: { name: 'Club' } });
    app.quire.advance(6 * 60_000);
    expect((await tell({ ...add, visit: made.visit })).code).toBe('UNAUTHORIZED');
  });

  test('acts with the rights that the visitor still has', async () => {
    const member = await app.quire.user('env-leaving');
    await join(app.quire, app.owner, page, member, 'member');
    const add = { ...inTeam('notes', 'create', { text: 'by' }), as: true };
    const { visit } = await tellAs(member, add);
    expect((await tell({ ...add, visit })).data).toBeDefined();
    const gone = await app.owner.call('DELETE', `/api/pages/${page.id}/team/${member.id}`);
    expect(gone.status).toBe(204);
    expect((await tell({ ...add, visit })).code).toBe('FORBIDDEN');
    await join(app.quire, app.owner, page, member, 'member');
    expect((await tell({ ...add, visit })).data).toBeDefined();
    await runSql(app.quire, `delete from login_sessions where user_id = ${member.id}`);
    expect((await tell({ ...add, visit })).code).toBe('UNAUTHORIZED');
  });

  test('acts for an agent only while its token is valid', async () => {
    const offered = [{ slug, description: 'Does it.', inputSchema: { type: 'object' } }];
    await app.owner.call('PATCH', `/api/pages/${page.id}`, { body: { agent_functions: offered } });
    const scopes = ['functions:write', 'team-data:write'];
    const { body: token } = await app.owner.call('POST', '/api/auth/tokens', { body: { name: 'a', scopes } });
    const add = { ...inTeam('notes', 'create', { text: 'by an agent' }), as: true };
    const params = { name: `call_${slug}`, arguments: add };
    const called = await app.quire.call('POST', `/p/${page.slug}/mcp`, {
      token: token.token,
      headers: { 'mcp-protocol-version': '2025-11-25' },
      body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
    });
    const { visit } = called.body.result.structuredContent.data.body;
    expect((await tell({ ...add, visit })).data).toMatchObject({ createdBy: { id: app.owner.id } });
    expect((await app.owner.call('DELETE', `/api/auth/tokens/${token.id}`)).status).toBeLessThan(300);
    expect((await tell({ ...add, visit })).code).toBe('UNAUTHORIZED');
  });

  test('a visitor of another page of the owner has no rights here', async () => {
    const other = await app.owner.publish({ name: 'Other', storage_mode: 'team_app' });
    const member = await app.quire.user('env-other');
    await join(app.quire, app.owner, page, member, 'member');
    const told = { ...inTeam('notes', 'create', { a: 1 }), as: true };
    const { code, visit } = await tellAs(member, told, other);
    expect([code, visit]).toEqual(['UNAUTHORIZED', undefined as never]);
  });
});

test('env.FORMS lists the messages of the page', async () => {
  for (const text of ['first', 'second'])
    await app.quire.call('POST', `/api/pages/${page.id}/forms/contact`, { body: { text } });
  const { data } = await tell({ service: 'FORMS', args: ['list', 'contact', { limit: 1 }] });
  expect(data).toMatchObject({ messages: [{ fields: { text: 'second' } }], total: 2 });
  expect((await tell({ service: 'FORMS', args: ['list', 'none'] })).data.messages).toEqual([]);
  expect((await tell({ service: 'FORMS', args: ['list', '..'] })).code).toBe('BAD_REQUEST');
});

test('env.TEAM lists the owner and the members, and nothing else about them', async () => {
  const club = await app.deploy(TOLD);
  const { id } = await app.owner.publish({ storage_mode: 'team_app', functions: [club] });
  const list = async () => (await tell({ service: 'TEAM', args: ['list'] }, club)).data;
  const owner = { username: 'owner', role: 'owner' };
  expect(await list()).toEqual([owner]);
  const member = await app.quire.user('team-viewer');
  await join(app.quire, app.owner, { id }, member, 'viewer');
  expect(await list()).toEqual([owner, { username: 'team-viewer', role: 'viewer' }]);
  const alone = await app.deploy(TOLD);
  await app.owner.publish({ storage_mode: 'social_app', functions: [alone] });
  const refused = await tell({ service: 'TEAM', args: ['list'] }, alone);
  expect([refused.code, refused.error]).toEqual([
    'CONFLICT',
    expect.stringContaining('only team_app has a team'),
  ]);
});

describe('env.FUNCTIONS', () => {
  const call = (called: string, body: unknown = {}): Told => ({
    service: 'FUNCTIONS',
    args: ['call', called, body],
  });

  test('calls another function of the owner, also a private one, and counts the call', async () => {
    const other = await app.deploy(
      handler(
        'return Response.json({ got: await request.json(), from: request.headers.get("x-quire-function") }, { status: 418 })',
      ),
      { isPublic: false },
    );
    expect((await tell(call(other, { n: 1 }))).data).toEqual({ got: { n: 1 }, from: slug });
    const { logs } = (await app.owner.call('GET', `/api/functions/${other}/logs`)).body;
    expect(logs.at(-1)).toMatchObject({ kind: 'call', status: 418 });
    const thrown = await app.deploy(handler('throw new Error("secret")'));
    expect((await tell(call(thrown))).error).toBe('FUNCTIONS.call: The function threw an exception');
  });

  test('does not reach functions of others', async () => {
    const theirs = await app.deploy(handler('return Response.json(1)'), {}, app.stranger);
    for (const wrong of [theirs, 'unfurl-url', 'nowhere', '../x'])
      expect((await tell(call(wrong))).code).toBe('NOT_FOUND');
  });

  test('a function that calls itself ends with an error', async () => {
    const self = await app.deploy(
      handler(`const { depth } = await request.json();
        try { return Response.json(await env.FUNCTIONS.call('${'self'}-caller', { depth: depth + 1 })); }
        catch (error) { return Response.json({ depth, error: error.message, code: error.code }); }`),
    );
    await app.owner.call('POST', '/api/functions', {
      body: {
        slug: 'self-caller',
        code: (await app.owner.call('GET', `/api/functions/${self}/code`)).body.code,
      },
    });
    await app.owner.publish({ functions: ['self-caller'] });
    const { depth, code, error } = (await app.call('self-caller', { depth: 0 })).body;
    expect([depth, code]).toEqual([16, 'RATE_LIMITED']);
    expect(error).toContain('Does a function call itself?');
  });
});

describe('env.MAIL', () => {
  const send = (letter: object): Told => ({ service: 'MAIL', args: ['send', letter] });

  test('reaches the owner and the team, and says where it comes from', async () => {
    expect(await tell(send({ to: 'owner', subject: 'Digest ✓', text: 'Line one\nLine two' }))).toEqual({
      visit: null,
    });
    const mail = await smtp.nextMail('owner@example.com', /Digest/);
    expect(mail.subject).toBe('Digest ✓');
    expect(mail.text).toContain('Line one\nLine two\n\nA function of the page “Club” sent this mail.');
    // Without an address, the owner gets it.
    await tell(send({ subject: 'To me', text: 'x' }));
    await smtp.nextMail('owner@example.com', /To me/);
    const member = await app.quire.user('mail-member');
    await confirm(member);
    const letter = { subject: 'Hi', text: 'Plain', html: '<b>Bold</b>' };
    expect((await tell(send({ ...letter, to: 'mail-member@example.com' }))).code).toBe('FORBIDDEN');
    await join(app.quire, app.owner, page, member, 'viewer');
    await tell(send({ ...letter, to: 'Mail-Member@example.com' }));
    const second = await smtp.nextMail('mail-member@example.com', /Hi/);
    expect(second.html).toContain('<b>Bold</b>');
    expect(second.html).toContain('A function of the page “Club” sent this mail.');
  });

  test('reaches the whole team with one message each, and nobody else', async () => {
    const club = await app.deploy(TOLD);
    const { id } = await app.owner.publish({ name: 'Choir', storage_mode: 'team_app', functions: [club] });
    const letter = { to: 'team', subject: 'To all', text: 'Rehearsal at eight' };
    const people = ['mail-alto', 'mail-bass', 'mail-unsure', 'mail-outside'];
    const [alto, bass, unsure, outside] = await Promise.all(people.map((name) => app.quire.user(name)));
    for (const user of [alto, bass, outside]) await confirm(user as TestUser);
    for (const user of [alto, bass, unsure])
      await join(app.quire, app.owner, { id }, user as TestUser, 'viewer');
    expect(await tell(send(letter), club)).toEqual({ visit: null });
    const got = ['owner', 'mail-alto', 'mail-bass'].map((name) => `${name}@example.com`);
    for (const address of got) {
      const mail = await smtp.nextMail(address, /To all/);
      expect(mail.text).toContain('Rehearsal at eight');
      for (const other of got) if (other !== address) expect(JSON.stringify(mail)).not.toContain(other);
    }
    // Who left gets no more.
    await app.owner.call('DELETE', `/api/pages/${id}/team/${bass?.id}`);
    await tell(send({ ...letter, subject: 'Later' }), club);
    await smtp.nextMail('mail-alto@example.com', /Later/);
    await smtp.nextMail('owner@example.com', /Later/);
    const reached = (about: string) =>
      smtp.mails.flatMap(({ subject, to }) => (subject === about ? [to] : [])).sort();
    expect(reached('To all')).toEqual(got.sort());
    expect(reached('Later')).toEqual(['mail-alto@example.com', 'owner@example.com']);
    const alone = await app.deploy(TOLD);
    await app.owner.publish({ functions: [alone] });
    expect((await tell(send(letter), alone)).code).toBe('CONFLICT');
  });

  test('refuses strangers, injected headers and more than a letter can have', async () => {
    const fine = { to: 'owner', subject: 'a', text: 'b' };
    for (const to of ['stranger', 'stranger@example.com', 'nobody@example.com', 'nobody'])
      expect((await tell(send({ ...fine, to }))).code).toBe('FORBIDDEN');
    for (const wrong of [
      { subject: 'a\r\nBcc: x@evil.example' },
      { subject: 'a\nb' },
      { subject: '' },
      { subject: 'x'.repeat(201) },
      { text: '' },
      { text: 'x'.repeat(50_001) },
      { html: 'x'.repeat(100_001) },
      { to: ['owner', 'stranger'] },
      { bcc: 'x@evil.example' },
    ])
      expect((await tell(send({ ...fine, ...wrong }))).code).toBe('BAD_REQUEST');
    const before = smtp.mails.length;
    expect((await tell(send({ ...fine, to: 'owner@example.com\r\nBcc: x@evil.example' }))).code).toBe(
      'FORBIDDEN',
    );
    expect(smtp.mails.length).toBe(before);
  });

  test('is bounded for each function', async () => {
    const many = await app.deploy(TOLD);
    await app.owner.publish({ functions: [many] });
    const letter = { to: 'owner', subject: 'Many', text: 'x' };
    let sent = 0;
    for (;;) {
      const { code } = await tell(send(letter), many);
      if (code) {
        expect(code).toBe('RATE_LIMITED');
        break;
      }
      expect(++sent).toBeLessThanOrEqual(20);
    }
  });
});

test('a thousand things at once are refused with a code, except 50', async () => {
  const busy = await app.deploy(
    handler(`
    const asked = await Promise.allSettled(Array.from({ length: 1000 }, () => env.FORMS.list('contact')));
    const outcomes = asked.map(({ reason }) => (reason ? reason.code + ' ' + reason.retryAfter : 'done'));
    return Response.json(Object.groupBy(outcomes, (outcome) => outcome));`),
  );
  await app.owner.publish({ functions: [busy] });
  // The second time, those of the first are not in progress any more.
  for (let times = 0; times < 2; times++) {
    const { body } = await app.call(busy);
    expect([Object.keys(body).toSorted(), body.done.length]).toEqual([['RATE_LIMITED 1', 'done'], 50]);
  }
});

test('with QUIRE_FUNCTION_MAIL=anyone, functions also write to others', async () => {
  const open = await functionApp({ QUIRE_SMTP_URL: smtp.url, QUIRE_FUNCTION_MAIL: 'anyone' });
  const called = await open.deploy(TOLD);
  await open.owner.publish({ functions: [called] });
  const letter = { to: 'friend@elsewhere.example', subject: 'Hello', text: 'x' };
  await open.call(called, { service: 'MAIL', args: ['send', letter] });
  expect((await smtp.nextMail(letter.to, /Hello/)).subject).toBe('Hello');
  await open.quire.stop();
});

test('env.DATA, env.FORMS and env.TEAM count together, 50 times as many as calls of an address', async () => {
  const few = await functionApp({ QUIRE_FUNCTION_CALLS_PER_MINUTE: '2' });
  const greedy = handler(`
    const once = (n) => [() => env.DATA.team('notes').list(), () => env.FORMS.list('a'), () => env.TEAM.list()][n % 3]();
    let done = 0;
    try { for (;;) { await once(done); done++; } }
    catch ({ code, message, retryAfter }) { return Response.json({ done, code, message, retryAfter }); }`);
  const called = await few.deploy(greedy);
  await few.owner.publish({ storage_mode: 'team_app', functions: [called] });
  const { done, code, message, retryAfter } = (await few.call(called)).body;
  expect([done, code]).toEqual([100, 'RATE_LIMITED']);
  expect(message).toContain('100 times in the last minute');
  expect(retryAfter).toBeGreaterThan(0);
  // Another owner is not concerned.
  const theirs = await few.deploy(handler('return Response.json(await env.TEAM.list())'), {}, few.stranger);
  await few.stranger.publish({ storage_mode: 'team_app', functions: [theirs] });
  expect((await few.call(theirs)).body).toHaveLength(1);
  await few.quire.stop();
});
