import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, publish, register } from '../support/http/client.ts';
import { startSmtp } from '../support/mail/smtp.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** `quire pages branches rename`, `access`, `keep` and `outbox`. */

const MAILER = `export default {
  async fetch(request, env) {
    const { subject } = await request.json();
    await env.MAIL.send({ to: 'owner', subject, text: 'The \\u001b[31mtext\\nof it' });
    return Response.json({ sent: subject });
  },
};`;

let server: TestServer;
let smtp: Awaited<ReturnType<typeof startSmtp>>;
let owner: Account;
let shell: Shell;

beforeAll(async () => {
  smtp = await startSmtp();
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent', QUIRE_SMTP_URL: smtp.url } });
  owner = await register(server, 'cli-branch-settings');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: owner.token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
  await smtp.stop();
});

const branches = (...args: string[]) => shell.run(['pages', 'branches', ...args]);
const ask = async (method: string, path: string, body?: object) => {
  const answer = await call(server, method, path, { token: owner.token, ...(body && { body }) });
  expect([path, answer.status < 300]).toEqual([path, true]);
  return answer.body;
};

async function makeBranch(fields: Record<string, unknown>) {
  const page = await publish(server, owner.token, fields);
  const path = `/api/pages/${page.id}/branches`;
  const branch = await ask('POST', path, { name: 'try', data: 'schema' });
  await waitUntil(async () => (await ask('GET', `${path}/try`)).state === 'ready');
  return { page, path, branch };
}

test('renames a branch, with its address', async () => {
  const { page } = await makeBranch({ name: 'Renamed' });
  const done = await branches('rename', page.slug, 'try', 'tried');
  expect([done.code, done.stdout]).toEqual([
    0,
    `The branch tried is at ${server.baseUrl}/p/${page.slug}--tried.\n`,
  ]);
  expect((await branches('rename', page.slug, 'try', 'again')).code).not.toBe(0);
  const refused = await branches('rename', page.slug, 'tried', 'not a name');
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('1 to 30 letters')]);
});

test('shows and changes who can see a branch, and not who can see the page', async () => {
  const { page, path, branch } = await makeBranch({ name: 'Seen' });
  const shown = await branches('access', page.slug, 'try');
  expect([shown.code, shown.stdout]).toEqual([0, 'The team of the page can see it.\n']);
  const wrong = await branches('access', page.slug, 'try', '--password', 'secret');
  expect([wrong.code, wrong.stderr]).toEqual([2, expect.stringContaining('Add --mode')]);
  const open = await shell.json(['pages', 'branches', 'access', page.slug, 'try', '--mode', 'private']);
  expect(open).toEqual({ id: branch.page.id, access: { mode: 'private' } });
  expect((await ask('GET', `${path}/try`)).access).toEqual({ mode: 'private' });
  expect((await ask('GET', `/api/pages/${page.id}`)).page.access).toEqual({ mode: 'public' });
});

test('keeps a branch that would be deleted', async () => {
  const { page } = await makeBranch({ name: 'Kept' });
  const kept = await shell.json(['pages', 'branches', 'keep', page.slug, 'try']);
  expect(kept).toMatchObject({ name: 'try', ends_at: null });
  expect((await branches('keep', page.slug, 'try')).stdout).toBe('The branch try is kept.\n');
  expect((await branches('keep', page.slug, 'gone')).stderr).toContain('This page has no branch gone.');
});

test('prints the mail that was not sent, without what controls a terminal', async () => {
  const slug = 'cli-outbox-mailer';
  await ask('POST', '/api/functions', { slug, code: MAILER });
  const { page, branch } = await makeBranch({ name: 'Quiet', functions: [slug] });
  const empty = await branches('outbox', page.slug, 'try');
  expect([empty.code, empty.stdout]).toEqual([0, 'No mail was held back on this branch.\n']);
  for (const subject of ['First', 'Second']) await ask('POST', `/api/functions/${slug}--try`, { subject });
  const read = await branches('outbox', page.slug, 'try');
  expect(read.code).toBe(0);
  expect(read.stdout).toMatch(/to .+\nSecond\n\nThe .*text\nof it\n[\s\S]*First/);
  expect(read.stdout).not.toContain('\u001b');
  const { mails } = await shell.json(['pages', 'branches', 'outbox', page.slug, 'try']);
  expect(mails.map(({ subject }: { subject: string }) => subject)).toEqual(['Second', 'First']);
  expect(branch.page.slug).toBe(`${page.slug}--try`);
});
