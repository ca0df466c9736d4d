import { afterAll, beforeAll, expect, test } from 'bun:test';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { type Account, call, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** `quire pages branches changes`, `update` and `merge`, and undoing them as the command says. */

const HTML = '<h1>one</h1>\n<p>two</p>\n<p>three</p>\n<p>four</p>\n';

let server: TestServer;
let owner: Account;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  owner = await register(server, 'cli-merging');
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: owner.token });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

const branches = (...args: string[]) => shell.run(['pages', 'branches', ...args]);
const read = async (id: number): Promise<string> =>
  (await call(server, 'GET', `/api/pages/${id}`, { token: owner.token })).body.page.html_content;
const write = async (id: number, from: string, to: string) => {
  const body = { html_content: (await read(id)).replace(from, to) };
  const { status } = await call(server, 'PATCH', `/api/pages/${id}`, { token: owner.token, body });
  expect(status).toBe(200);
};

/** A page and its branch `try`, which have both changed the first line, and each a line of its own. */
async function diverge(name: string) {
  const page = await publish(server, owner.token, { name, html_content: HTML });
  const path = `/api/pages/${page.id}/branches`;
  const body = { name: 'try', data: 'schema' };
  const made = await call(server, 'POST', path, { token: owner.token, body });
  expect(made.status).toBe(201);
  await waitUntil(
    async () => (await call(server, 'GET', `${path}/try`, { token: owner.token })).body.state === 'ready',
  );
  const branch = made.body.page as { id: number; slug: string };
  await write(page.id, 'one', 'one of the page');
  await write(page.id, 'four', 'four of the page');
  await write(branch.id, 'one', 'one of the branch');
  return { page, branch };
}

/** Runs the command that a command has printed to undo it. */
async function undo(output: string) {
  const [, command = ''] = /^To undo it: quire (.+)$/m.exec(output) ?? [];
  expect(command).not.toBe('');
  const done = await shell.run(command.split(' '));
  expect([command, done.code, done.stderr]).toEqual([command, 0, expect.anything()]);
}

test('lists what differs, what conflicts, and one part of it in full', async () => {
  const { page, branch } = await diverge('Listed');
  await call(server, 'PATCH', `/api/pages/${branch.id}`, {
    ...{ token: owner.token, body: { description: 'Tried' } },
  });
  const all = await branches('changes', page.slug, 'try');
  expect(all.code).toBe(0);
  expect(all.stdout).toMatch(/files\/index\.html +changed? +both +conflict/);
  expect(all.stdout).toContain('settings/description');
  expect(all.stdout).toContain('The branch has 2 changes, the page 1; 1 conflict.');
  const clash = await branches('changes', page.slug, 'try', '--conflicts');
  expect(clash.stdout).toContain('files/index.html');
  expect(clash.stdout).not.toContain('settings/description');
  const one = await branches('changes', page.slug, 'try', 'files/index.html');
  expect(one.stdout).toContain(`--- base\n${HTML}`);
  expect(one.stdout).toMatch(/--- branch\n<h1>one of the branch<\/h1>/);
  expect(one.stdout).toMatch(/--- main\n<h1>one of the page<\/h1>/);
  const json = await shell.json(['pages', 'branches', 'changes', page.slug, 'try', '--conflicts']);
  expect(json.changes).toMatchObject([{ path: 'files/index.html', conflict: true }]);
});

test('merges after each conflict is decided, and undoes it as the command says', async () => {
  const { page, branch } = await diverge('Merged');
  const before = await read(page.id);
  const dry = await branches('merge', page.slug, 'try', '--dry-run');
  expect([dry.code, dry.stdout]).toEqual([0, expect.stringContaining('Nothing was changed.')]);
  expect(dry.stdout).toContain('1 conflict. Decide each with --branch or --main:\n  files/index.html');
  expect(dry.stdout).not.toContain('To undo it');
  const refused = await branches('merge', page.slug, 'try');
  expect(refused.code).toBe(5);
  expect(await read(page.id)).toBe(before);
  const twice = await branches('merge', page.slug, 'try', '--branch', 'files', '--main', 'files');
  expect([twice.code, twice.stderr]).toEqual([2, expect.stringContaining('not in both')]);

  const merged = await branches('merge', page.slug, 'try', '--branch', 'files/index.html');
  expect([merged.code, merged.stdout]).toEqual([0, expect.stringContaining('Done with the branch try.')]);
  expect(await read(page.id)).toContain('one of the branch');
  const ofBranch = await read(branch.id);
  await undo(merged.stdout);
  expect(await read(page.id)).toBe(before);
  expect(await read(branch.id)).toBe(ofBranch);
});

test('undoes an update on the branch, and leaves the page as it is', async () => {
  const { page, branch } = await diverge('Updated');
  const [ofPage, ofBranch] = [await read(page.id), await read(branch.id)];
  const refused = await branches('update', page.slug, 'try');
  expect([refused.code, await read(branch.id)]).toEqual([5, ofBranch]);
  const updated = await branches('update', page.slug, 'try', '--main', 'files/index.html');
  expect([updated.code, updated.stdout]).toEqual([0, expect.stringContaining('Done with the branch try.')]);
  expect(await read(branch.id)).toContain('one of the page');
  // After the update, so that restoring the page would lose something.
  await write(page.id, 'three', 'three of the page');
  const later = await read(page.id);
  expect(later).not.toBe(ofPage);
  expect(updated.stdout).toContain(`quire pages restore ${branch.slug} `);
  await undo(updated.stdout);
  expect([await read(page.id), await read(branch.id)]).toEqual([later, ofBranch]);
});
