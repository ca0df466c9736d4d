import { afterAll, beforeAll, expect, test } from 'bun:test';
import { countTokens } from '../../support/agents/tokens.ts';
import { type TestApp, type TestUser, testApp } from '../../support/app.ts';
import { join } from '../../support/data/data.ts';
import { runSql } from '../../support/engines/storage.ts';
import { connect } from '../../support/oauth.ts';

/** Agents and the history of pages: the tool for moments, and the moments before what agents do. */

let quire: TestApp;
let owner: TestUser;
let stranger: TestUser;
beforeAll(async () => {
  quire = await testApp();
  [owner, stranger] = [await quire.user('owner'), await quire.user('stranger')];
});
afterAll(() => quire.stop());

const MINUTE_MS = 60_000;

async function use(name: string, input: object, user: TestUser = owner) {
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } };
  const headers = { 'mcp-protocol-version': '2025-11-25' };
  const { result } = (await user.call('POST', '/mcp', { body, headers })).body;
  const { data, failure } = result.structuredContent;
  return { result, data, failure };
}

async function makeBoard() {
  const { id } = await owner.publish({ name: 'Board', storage_mode: 'team_app' });
  const notes = { id: String(id), type: 'team-data', collection: 'notes' };
  const add = async (text: string) => (await use('create_record', { ...notes, data: { text } })).data.id;
  return { id, notes, add };
}

async function listAgentMoments(id: number) {
  const { moments } = (await owner.call('GET', `/api/pages/${id}/moments`)).body;
  return (moments as Array<{ causes: Array<{ kind: string; by: string | null; text: string }> }>)
    .flatMap(({ causes }) => causes)
    .filter(({ kind }) => kind === 'agent')
    .map(({ kind, by, text }) => ({ kind, by, text }));
}

test('an agent keeps a moment, sees what a restore would change, restores it, and takes that back', async () => {
  const { id, notes, add } = await makeBoard();
  const recordId = await add('one');
  const { data: kept } = await use('restore_page', { id, name: 'Start' });
  expect(kept.name).toBe('Start');
  await use('update_record', { ...notes, recordId, data: { text: 'changed' } });
  const read = async () => (await use('query_records', { ...notes, recordId })).data.data.text;

  const { data: dry } = await use('restore_page', { id, at: kept.at, dry_run: true });
  expect([dry.changes.updated, dry.undo, await read()]).toEqual([1, null, 'changed']);
  const { data: pageOnly } = await use('restore_page', { id, at: kept.at, parts: ['page'] });
  expect([pageOnly.changes.records, await read()]).toEqual([0, 'changed']);
  const { data: back } = await use('restore_page', { id, at: kept.at });
  expect([back.at, await read()]).toEqual([kept.at, 'one']);
  await use('restore_page', { id, at: back.undo });
  expect(await read()).toBe('changed');

  const { data: list } = await use('restore_page', { id });
  expect(list.oldest).toEqual(expect.any(String));
  expect(list.moments.at(-1)).toEqual({
    at: kept.at,
    name: 'Start',
    what: expect.stringContaining('(owner)'),
  });
});

test('a long list of moments is cut, and can be continued', async () => {
  const { id } = await makeBoard();
  await use('restore_page', { id, name: 'First' });
  const rows = Array.from(
    { length: 199 },
    (_, number) =>
      `select page_id, at + ${1_000 * (number + 1)}, 'restore', 'Kept before.', state, size from moments where page_id = ${id}`,
  );
  const columns = 'page_id, at, cause_kind, cause_text, state, size';
  await runSql(quire, `insert into moments (${columns}) ${rows.join(' union all ')}`);
  const { result, data } = await use('restore_page', { id });
  expect(countTokens(result)).toBeLessThanOrEqual(4_000);
  expect(result.structuredContent.more).toContain(`Continue with to=${data.moments.at(-1).at}.`);
  const { data: rest } = await use('restore_page', { id, to: data.moments.at(-1).at });
  expect(rest.moments[0].at).toBe(data.moments.at(-1).at);
  expect(rest.moments.length).toBeGreaterThan(1);
});

test('nobody else lists, keeps or restores moments', async () => {
  const { id } = await makeBoard();
  const { data: kept } = await use('restore_page', { id, name: 'Mine' });
  for (const input of [{}, { name: 'Theirs' }, { at: kept.at }, { at: kept.at, dry_run: true }]) {
    const { failure } = await use('restore_page', { id, ...input }, stranger);
    expect([failure.status, failure.code]).toEqual([403, 'FORBIDDEN']);
  }
  const { failure } = await use('restore_page', { id, at: kept.at, name: 'Both' });
  expect(failure).toMatchObject({ status: 400, error: expect.stringContaining('name') });
});

test('a moment is kept before an agent changes or deletes records, one in a minute', async () => {
  const { id, notes, add } = await makeBoard();
  const recordId = await add('one');
  await add('two');
  await use('batch_records', { ...notes, operations: [{ op: 'create', data: { text: 'three' } }] });
  await use('query_records', notes);
  expect(await listAgentMoments(id)).toEqual([]);
  const { body: before } = await owner.call('GET', `/api/pages/${id}/team-data/notes`);
  await use('delete_record', { ...notes, recordId });
  const text = 'Kept before an agent called delete_record.';
  expect(await listAgentMoments(id)).toEqual([{ kind: 'agent', by: 'owner', text }]);
  await use('batch_records', { ...notes, operations: [{ op: 'delete', id: before.records[0].id }] });
  expect(await listAgentMoments(id)).toHaveLength(1);

  const [moment] = (await owner.call('GET', `/api/pages/${id}/moments`)).body.moments;
  await use('restore_page', { id, at: moment.at });
  expect((await owner.call('GET', `/api/pages/${id}/team-data/notes`)).body.records).toHaveLength(3);

  quire.advance(MINUTE_MS + 1);
  await use('update_record', { ...notes, recordId, data: { text: 'ONE' } });
  expect((await listAgentMoments(id)).map((cause) => cause.text)).toContain(
    'Kept before an agent called update_record.',
  );
  const count = (await listAgentMoments(id)).length;
  quire.advance(MINUTE_MS + 1);
  await use('restore_page', { id, name: 'Nothing has changed since' });
  quire.advance(MINUTE_MS + 1);
  await use('delete_record', { ...notes, recordId: 'unknown' });
  expect(await listAgentMoments(id)).toHaveLength(count);
});

test('a moment is kept before the first record that an agent deletes, however young the last one is', async () => {
  const { id, notes, add } = await makeBoard();
  const first = await add('one');
  await use('restore_page', { id, name: 'A moment ago' });
  const second = await add('two');
  await use('delete_record', { ...notes, recordId: second });
  await use('delete_record', { ...notes, recordId: first });
  expect(await listAgentMoments(id)).toHaveLength(1);
  const { moments } = (await owner.call('GET', `/api/pages/${id}/moments`)).body;
  await use('restore_page', { id, at: moments[0].at });
  expect((await owner.call('GET', `/api/pages/${id}/team-data/notes`)).body.records).toHaveLength(2);
});

test('a batch of an agent that empties a collection has one moment before it', async () => {
  const { id, notes } = await makeBoard();
  const empty = async () => {
    const operations = Array.from({ length: 8 }, (_, n) => ({ op: 'create', data: { n } }));
    const { data } = await use('batch_records', { ...notes, operations });
    const ids = data.results as string[];
    await use('batch_records', { ...notes, operations: ids.map((one) => ({ op: 'delete', id: one })) });
    const { moments } = (await owner.call('GET', `/api/pages/${id}/moments`)).body;
    return (moments as Array<{ causes: Array<{ kind: string }> }>).map(({ causes }) => causes[0]?.kind);
  };
  expect(await empty()).toEqual(['agent']);
  // The moment before is young, but does not have these records.
  expect(await empty()).toEqual(['delete', 'agent']);
});

test('a moment is kept before each statement that can lose something, if something has changed', async () => {
  const slug = 'agent-moments';
  const code = 'export default { fetch: () => new Response() };';
  await use('deploy_function', { slug, code, enableDatabase: true });
  const { id } = await owner.publish({ name: 'SQL', functions: [slug] });
  const sql = (text: string, user = owner) => use('execute_sql', { slug, sql: text }, user);
  await sql('create table notes (text)');
  await sql("insert into notes values ('one'), ('two')");
  await sql('select * from notes');
  expect(await listAgentMoments(id)).toEqual([]);
  await sql("delete from notes where text = 'one'");
  await sql("DELETE FROM notes WHERE text = 'two'");
  expect(await listAgentMoments(id)).toHaveLength(2);
  await sql("update notes set text = 'nobody'");
  expect(await listAgentMoments(id)).toHaveLength(3);
  await sql("update notes set text = 'nobody'");
  expect(await listAgentMoments(id)).toHaveLength(3);
  const { failure } = await sql('drop table notes', stranger);
  expect(failure.status).toBe(403);
  expect(await listAgentMoments(id)).toHaveLength(3);

  const { moments } = (await owner.call('GET', `/api/pages/${id}/moments`)).body;
  await use('restore_page', { id, at: moments.at(-1).at });
  const { data } = await use('query_database', { slug, sql: 'select text from notes order by text' });
  expect(data.results).toEqual([{ text: 'one' }, { text: 'two' }]);
});

test('a viewer of a team and a visitor cause no moments', async () => {
  const { id, notes, add } = await makeBoard();
  const recordId = await add('one');
  const viewer = await quire.user('viewer');
  await join(quire, owner, { id }, viewer, 'viewer');
  for (const user of [viewer, stranger])
    expect((await use('delete_record', { ...notes, recordId }, user)).failure.status).toBe(403);
  expect(await listAgentMoments(id)).toEqual([]);
});

test('a moment names the connected app that caused it', async () => {
  const { id, notes, add } = await makeBoard();
  const recordId = await add('one');
  const app = await connect(quire, owner, ['team-data:read', 'team-data:write']);
  const call: TestUser['call'] = (method, path, options) =>
    quire.call(method, path, { ...options, token: app.access });
  await use('delete_record', { ...notes, recordId }, { ...owner, call });
  expect((await listAgentMoments(id)).map(({ text }) => text)).toEqual([
    'Kept before Test app called delete_record.',
  ]);
});
