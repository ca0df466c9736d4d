import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { PASSWORD, type TestApp, testApp } from '../../support/app.ts';
import { promote } from '../../support/backup.ts';
import { readSql, runSql } from '../../support/engines/storage.ts';
import { startSmtp, type TestSmtp } from '../../support/mail/smtp.ts';

let quire: TestApp;
let smtp: TestSmtp;
let admin: { token: string; id: number };
beforeAll(async () => {
  smtp = await startSmtp();
  quire = await testApp({ QUIRE_SMTP_URL: smtp.url, QUIRE_MAIL_FROM: 'quire@example.com' });
  const { id } = await quire.user('rosa');
  await promote(quire, 'rosa');
  const body = { username: 'rosa', password: PASSWORD, scopes: ['admin'] };
  const { accessToken } = (await quire.call('POST', '/api/auth/token', { body })).body;
  admin = { token: accessToken, id };
});
afterAll(async () => {
  await quire.stop();
  await smtp.stop();
});

const asAdmin = (method: string, path: string, body?: unknown) =>
  quire.call(method, path, { token: admin.token, ...(body !== undefined && { body }) });
const setMode = (mode: string) => asAdmin('PUT', '/api/admin/registration', { mode });
async function invite(fields: Record<string, unknown> = {}) {
  const { body } = await asAdmin('POST', '/api/admin/invites', fields);
  return { ...body, code: new URL(body.link).searchParams.get('invite') ?? '' };
}
let people = 0;
const register = (code?: string, fields: Record<string, unknown> = {}) => {
  const username = `person${++people}`;
  const body = { username, email: `${username}@example.com`, password: PASSWORD, ...fields };
  return quire.call('POST', '/api/auth/register', { body: { ...body, ...(code && { invite: code }) } });
};
const fetchText = async (path: string) => (await quire.request(path)).text();

describe('the mode of registration', () => {
  test('changes everywhere without a restart, and is in the audit log', async () => {
    expect((await asAdmin('GET', '/api/admin/registration')).body).toEqual({ mode: 'open' });
    const owner = await quire.user();
    const page = await owner.publish({ storage_mode: 'team_app' });
    const team = await owner.call('POST', `/api/pages/${page.id}/team/invite`, { body: { role: 'viewer' } });
    const join = new URL(team.body.inviteUrl).pathname;
    const before = await quire.request('/llms.txt');
    for (const [mode, status, login, llms] of [
      ['invite', 403, 'You need an invite from an administrator', 'Registration is by invite here'],
      ['closed', 403, 'Only the operator of this server can create accounts', 'Registration is closed here'],
      ['open', 201, 'Create an account', 'Otherwise create an account'],
    ] as const) {
      expect((await setMode(mode)).body).toEqual({ mode });
      expect((await register()).status).toBe(status);
      expect(await fetchText('/login')).toContain(login);
      expect((await quire.request('/register')).status).toBe(status === 201 ? 200 : 403);
      expect((await fetchText('/')).includes('href="/register"')).toBe(mode === 'open');
      expect((await fetchText(join)).includes('Create an account')).toBe(mode === 'open');
      expect(await fetchText('/llms.txt')).toContain(llms);
      expect(await fetchText('/.well-known/agent-skills/quire/SKILL.md')).toContain(llms);
    }
    expect((await fetchText('/llms.txt')).includes('<!--')).toBe(false);
    const etag = before.headers.get('etag') ?? '';
    await setMode('closed');
    const again = await quire.request('/llms.txt', { headers: { 'if-none-match': etag } });
    expect([again.status, again.headers.get('cache-control')]).toEqual([200, 'public, no-cache']);
    await setMode('open');
    const entries = await readSql<{ actor_name: string; details: string }>(
      quire,
      "select actor_name, details from audit_entries where action = 'registration.change' order by id",
    );
    expect(entries[0]).toMatchObject({ actor_name: 'rosa' });
    expect(JSON.parse(entries[0]?.details ?? '')).toEqual({ from: 'open', to: 'invite' });
    expect(entries).toHaveLength(5);
  });

  test('can only be read and set by administrators', async () => {
    const someone = await quire.user();
    for (const [method, path, body] of [
      ['GET', '/api/admin/registration'],
      ['PUT', '/api/admin/registration', { mode: 'closed' }],
      ['GET', '/api/admin/invites'],
      ['POST', '/api/admin/invites', {}],
      ['DELETE', '/api/admin/invites/1'],
    ] as const) {
      const options = body ? { body } : {};
      expect((await someone.call(method, path, options)).status).toBe(403);
      expect((await quire.call(method, path, options)).status).toBe(401);
    }
    expect((await setMode('maybe')).status).toBe(400);
  });
});

describe('an invite', () => {
  test('lets exactly as many people register as it has uses, of a hundred at once', async () => {
    await setMode('invite');
    const { code, invite: made } = await invite({ maxUses: 10, note: 'For the class' });
    const answers = await Promise.all(Array.from({ length: 100 }, () => register(code)));
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(90);
    const { invites } = (await asAdmin('GET', '/api/admin/invites')).body;
    expect(invites.find(({ id }: { id: number }) => id === made.id)).toMatchObject({
      ...{ uses: 10, maxUses: 10, note: 'For the class', createdBy: 'rosa', isUsable: false },
    });
    expect(JSON.stringify(invites)).not.toContain(code);
    await setMode('open');
  });

  test('is not used up by a name that is taken', async () => {
    await setMode('invite');
    const { code } = await invite();
    expect((await register(code, { username: 'rosa' })).status).toBe(409);
    expect((await register(code, { username: 'root' })).status).toBe(409);
    expect((await register(code, { password: 'short' })).status).toBe(400);
    expect((await register(code)).status).toBe(201);
    expect((await register(code)).body.details).toEqual([{ path: 'invite', message: 'does not work' }]);
    await setMode('open');
  });

  test('ends when it expires or is revoked, and waits while registration is closed', async () => {
    await setMode('closed');
    const kept = await invite({ maxUses: 2 });
    expect((await register(kept.code)).status).toBe(403);
    expect(await fetchText(`/register?invite=${kept.code}`)).toContain('Registration is closed');
    await setMode('invite');
    expect((await register(kept.code)).status).toBe(201);
    expect((await asAdmin('DELETE', `/api/admin/invites/${kept.invite.id}`)).status).toBe(204);
    expect((await asAdmin('DELETE', `/api/admin/invites/${kept.invite.id}`)).status).toBe(404);
    expect((await register(kept.code)).status).toBe(403);
    const short = await invite({ expiresInHours: 1 });
    const life = Date.parse(short.invite.expiresAt) - Date.parse(short.invite.createdAt);
    expect(life).toBe(3600_000);
    await runSql(
      quire,
      `update registration_invites set expires_at = ${Date.now()} where id = ${short.invite.id}`,
    );
    expect((await register(short.code)).status).toBe(403);
    await setMode('open');
  });

  test('has limits on its uses, its life and its note', async () => {
    for (const [fields, status] of [
      [{ maxUses: 0 }, 400],
      [{ maxUses: 1 }, 201],
      [{ maxUses: 1000 }, 201],
      [{ maxUses: 1001 }, 400],
      [{ maxUses: 1.5 }, 400],
      [{ expiresInHours: 0 }, 400],
      [{ expiresInHours: 2160 }, 201],
      [{ expiresInHours: 2161 }, 400],
      [{ note: 'x'.repeat(200) }, 201],
      [{ note: 'x'.repeat(201) }, 400],
      [{ email: 'not an address' }, 400],
      [{ other: 1 }, 400],
    ] as const)
      expect([fields, (await asAdmin('POST', '/api/admin/invites', fields)).status]).toEqual([
        fields,
        status,
      ]);
  });

  test('comes by mail, and then confirms the address it came to', async () => {
    await setMode('invite');
    const made = await invite({ email: 'Pia@Example.com', note: 'Welcome', maxUses: 2 });
    expect(made.isMailed).toBe(true);
    const mail = await smtp.nextMail('pia@example.com', /invites you/);
    expect(mail.links).toContain(made.link);
    expect(mail.text).toContain('Welcome');
    const screen = await fetchText(`/register?invite=${made.code}`);
    expect(screen).toContain('You are invited: Welcome');
    expect((await register(made.code, { username: 'other-pia' })).status).toBe(201);
    expect((await register(made.code, { username: 'pia', email: 'pia@example.com' })).status).toBe(201);
    const confirmed = await readSql<{ username: string; email_confirmed_at: number | null }>(
      quire,
      "select username, email_confirmed_at from users where username in ('pia', 'other-pia') order by username",
    );
    expect(confirmed.map(({ email_confirmed_at }) => email_confirmed_at !== null)).toEqual([false, true]);
    await setMode('open');
  });

  test('registers from its screen, and a wrong one says what to do', async () => {
    await setMode('invite');
    const { code } = await invite();
    const send = (fields: Record<string, string>) =>
      quire.request('/register', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ password: PASSWORD, ...fields }).toString(),
      });
    const fields = { username: 'quinn', email: 'quinn@example.com' };
    expect(await (await send(fields)).text()).toContain('Registration is by invite');
    expect(await (await send({ ...fields, invite: 'wrong' })).text()).toContain('This invite does not work');
    const again = await (await send({ ...fields, username: 'no', invite: code })).text();
    expect(again).toContain(`name="invite" value="${code}"`);
    expect((await send({ ...fields, invite: code })).status).toBe(303);
    await setMode('open');
  });

  test('cannot be guessed for long from one address', async () => {
    await setMode('invite');
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++)
      statuses.push((await quire.request(`/register?invite=x${i}`, { peer: '10.7.0.1' })).status);
    expect(statuses).toEqual([...Array(30).fill(403), 429]);
    const { code } = await invite();
    expect((await quire.request(`/register?invite=${code}`, { peer: '10.7.0.1' })).status).toBe(200);
    await setMode('open');
  });
});
