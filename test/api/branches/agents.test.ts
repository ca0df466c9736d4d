import { afterAll, beforeAll, expect, test } from 'bun:test';
import { SCOPES } from '../../../contract/scopes.ts';
import { countTokens } from '../../support/agents/tokens.ts';
import { type BranchApp, branchApp, handler } from '../../support/branches/branches.ts';

/** What agents do with branches: they try, a person merges. */

let app: BranchApp;
let token: string;
beforeAll(async () => {
  app = await branchApp();
  const body = { name: 'agent', scopes: SCOPES, branches_only: true };
  token = (await app.owner.call('POST', '/api/auth/tokens', { body })).body.token;
});
afterAll(() => app.quire.stop());

const LINES = '<h1>one</h1>\n<p>two</p>\n<p>three</p>\n';

async function send(method: string, params: object) {
  const body = { jsonrpc: '2.0', id: 1, method, params };
  const headers = { 'mcp-protocol-version': '2025-11-25' };
  return (await app.quire.call('POST', '/mcp', { token, body, headers })).body.result;
}
const use = async (name: string, input: object) =>
  (await send('tools/call', { name, arguments: input })).structuredContent;
const edit = (id: number, html_content: string) =>
  app.owner.call('PATCH', `/api/pages/${id}`, { body: { html_content } });

test('an agent for branches reads which tools to use, breaks only its branch, and returns where a person merges', async () => {
  const page = await app.owner.publish({ name: 'Shop', html_content: LINES });
  const clientInfo = { name: 'test', version: '1' };
  const { instructions } = await send('initialize', {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo,
  });
  expect(instructions).toContain('can only change branches: make one with create_branch');
  const { failure } = await use('update_page', { id: page.id, html_content: 'broken' });
  expect(failure).toMatchObject({ status: 403, code: 'PROTECTED' });
  expect(failure.error).toContain('create_branch');
  expect(failure.error).not.toContain('/api/');
  const named = ['create_branch', 'list_branches', 'merge_branch', 'merge_url', 'save_draft'];
  for (const name of named) expect(failure.next).toContain(name);

  const { data: branch } = await use('create_branch', { id: page.id, name: 'try', data: 'schema' });
  await use('update_page', { id: branch.page.id, html_content: LINES.replace('two', 'TWO') });
  const trial = { id: page.id, name: 'try' };
  expect((await use('list_branches', trial)).data).toMatchObject({
    branch: 1,
    changes: [{ path: 'files/index.html', action: 'changed', side: 'branch', conflict: false }],
  });
  const { data: checked } = await use('merge_branch', { ...trial, dry_run: true });
  expect(checked).toMatchObject({ dry_run: true, conflicts: [], summary: ['1 file changes.'] });
  expect(checked.merge_url).toBe(`${app.quire.baseUrl}/pages/${branch.page.id}/merge`);
  expect(checked.merge_url).toBe(branch.merge_url);
  expect((await app.owner.call('GET', `/api/pages/${page.id}`)).body.page.html_content).toBe(LINES);
  const merged = await app.owner.call('POST', `/api/pages/${page.id}/branches/try/merge`, { body: {} });
  expect(merged.body.merge_url).toBe(branch.merge_url);
  const { html_content } = (await app.owner.call('GET', `/api/pages/${page.id}`)).body.page;
  expect(html_content).toBe(LINES.replace('two', 'TWO'));
});

test('an update that conflicts names each path once and briefly, and take decides it', async () => {
  const long = `<p>${'words '.repeat(2_000)}</p>\n`;
  const page = await app.owner.publish({ name: 'Long', html_content: `one\n${long}` });
  const { data: branch } = await use('create_branch', { id: page.id, name: 'try', data: 'schema' });
  await use('update_page', { id: branch.page.id, html_content: `branch\n${long}` });
  await edit(page.id, `main\n${long}`);
  const trial = { id: page.id, name: 'try' };
  const conflict = { path: 'files/index.html', action: 'changed', side: 'both', conflict: true };
  expect((await use('merge_branch', { ...trial, dry_run: true })).data).toMatchObject({
    conflicts: [conflict],
    conflict_count: 1,
  });
  const refused = await use('update_branch', trial);
  expect(refused.failure).toMatchObject({ status: 409, code: 'CONFLICT', conflicts: [conflict] });
  expect(refused.failure.next).toBe(
    'Look at each with list_branches and its path, and call update_branch again with take.',
  );
  expect(countTokens(refused)).toBeLessThan(300);
  const whole = await use('list_branches', { ...trial, path: 'files/index.html' });
  expect(whole.part ?? JSON.stringify(whole.data)).toContain('branch\\n<p>words words');
  const take = [{ path: 'files/index.html', from: 'main' }];
  expect((await use('update_branch', { ...trial, take })).data).toMatchObject({ numbers: { files: 1 } });
  const { html_content } = (await app.owner.call('GET', `/api/pages/${branch.page.id}`)).body.page;
  expect(html_content).toBe(`main\n${long}`);
});

test('an agent deletes its branch, but neither merges nor changes who sees it', async () => {
  const page = await app.owner.publish({ name: 'Kept' });
  await use('create_branch', { id: page.id, name: 'try', data: 'schema' });
  const at = `/api/pages/${page.id}/branches/try`;
  const program = (method: string, path: string, body: object) =>
    app.quire.call(method, path, { token, body });
  const refused = (await program('POST', `${at}/merge`, {})).body;
  expect(refused).toMatchObject({ code: 'PROTECTED', link: expect.stringMatching(/\/pages\/\d+\/merge$/) });
  expect((await use('merge_branch', { id: page.id, name: 'try' })).failure).toMatchObject({
    ...{ status: 403, code: 'PROTECTED', link: refused.link },
  });
  expect((await program('PATCH', at, { access: { mode: 'public' } })).body.code).toBe('PROTECTED');
  const forced = await use('merge_branch', { id: page.id, name: 'try', confirm: true });
  expect(forced.failure.details).toEqual([{ path: 'confirm', message: 'is not a known argument' }]);
  expect((await use('delete_branch', { id: page.id, name: 'try' })).data).toMatchObject({ success: true });
  expect((await use('list_branches', { id: page.id })).data).toEqual({ branches: [], limit: 5 });
});

test('a program merges with the scopes for all that a merge brings, unless the page is protected', async () => {
  const page = await app.owner.publish({ name: 'Open', html_content: LINES, storage_mode: 'social_app' });
  const { page: copy } = await app.branch(page.id, 'try', { data: 'schema' });
  const path = `/api/pages/${page.id}/branches/try/merge`;
  // Only the branch has functions.
  await app.deploy(handler('return Response.json({})'), { pageId: copy.id });
  await edit(copy.id, LINES.replace('two', 'TWO'));
  const merge = async (scopes: readonly string[], body: object = {}, fields: object = {}) => {
    const made = { name: 'program', scopes, ...fields };
    const program = (await app.owner.call('POST', '/api/auth/tokens', { body: made })).body.token;
    return app.quire.call('POST', path, { token: program, body });
  };
  const without = (left: string) => SCOPES.filter((scope) => scope !== left);
  for (const scope of ['pages:write', 'functions:write', 'social-data:write'])
    expect((await merge(without(scope))).body).toMatchObject({ code: 'INSUFFICIENT_SCOPE', scope });
  const protect = (on: boolean) =>
    app.owner.call('PATCH', `/api/pages/${page.id}`, { body: { protected: on } });
  await protect(true);
  expect((await merge(SCOPES)).body).toMatchObject({
    code: 'PROTECTED',
    link: `${app.quire.baseUrl}/pages/${copy.id}/merge`,
  });
  expect((await merge(SCOPES, { dry_run: true })).body).toMatchObject({ dry_run: true, undo: null });
  await protect(false);
  expect((await merge(SCOPES, {}, { branches_only: true })).body.code).toBe('PROTECTED');
  const merged = await merge(SCOPES);
  expect([merged.status, merged.body.version]).toEqual([200, 2]);
  const read = async () => (await app.owner.call('GET', `/api/pages/${page.id}`)).body.page;
  expect(await read()).toMatchObject({
    html_content: LINES.replace('two', 'TWO'),
    functions: [expect.any(String)],
  });
}, 90_000);
