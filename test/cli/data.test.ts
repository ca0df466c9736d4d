import { afterAll, beforeAll, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openShell, type Shell } from '../support/cli/cli.ts';
import { call, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer } from '../support/server.ts';

let server: TestServer;
let token: string;
let shell: Shell;

beforeAll(async () => {
  server = await startServer({ settings: { QUIRE_LOG_LEVEL: 'silent' } });
  ({ token } = await register(server, 'ada'));
  shell = openShell({ QUIRE_URL: server.baseUrl, QUIRE_TOKEN: token });
  for (const name of ['Source', 'Copy']) await publish(server, token, { name, storage_mode: 'social_app' });
  await publish(server, token, { name: 'Plain' });
});
afterAll(async () => {
  await shell.stop();
  await server.stop();
});

const write = (name: string, text: string) => writeFileSync(join(shell.folder, name), text);
const parseLines = (text: string) =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('exports a thousand records and imports them elsewhere, in the same order', async () => {
  const records = Array.from({ length: 1000 }, (_, index) => ({
    index,
    text: `Record ${index} with "quotes", \u2028, ünïcödé and 😀`,
    nested: { list: [index, null, true], deep: { at: index / 7 } },
  }));
  write('records.ndjson', `${records.map((record) => JSON.stringify(record)).join('\r\n')}\n\n`);
  expect(await shell.json(['data', 'import', 'source', 'things', 'records.ndjson'])).toEqual({
    collection: 'things',
    imported: 1000,
    failed: [],
  });
  const exported = await shell.run(['data', 'export', 'source', 'things']);
  expect(exported.code).toBe(0);
  expect(parseLines(exported.stdout).map(({ data }) => data)).toEqual(records);
  expect((await shell.run(['data', 'import', 'copy', 'things', '-'], { stdin: exported.stdout })).code).toBe(
    0,
  );
  expect(await shell.json(['data', 'export', 'copy', '--out', 'copy.ndjson'])).toEqual({
    file: 'copy.ndjson',
    records: 1000,
  });
  const copied = parseLines(readFileSync(join(shell.folder, 'copy.ndjson'), 'utf8'));
  expect(copied.map(({ data }) => data)).toEqual(records);
  expect(new Set(copied.map(({ id }) => id)).size).toBe(1000);
});

test('names lines that are refused, and imports the others', async () => {
  const schema = { fields: { title: { type: 'string', required: true } } };
  await call(server, 'PUT', '/api/pages/source/social-data/titled/schema', { token, body: { schema } });
  const lines = Array.from({ length: 250 }, (_, index) => JSON.stringify({ title: `T${index + 1}` }));
  lines[6] = '{"title": 7}';
  lines[120] = 'not json';
  lines[200] = '[]';
  lines[210] = '{"id":"x","collection":"other","createdAt":"now","data":{"title":"x"}}';
  write('titled.ndjson', lines.join('\n'));
  const done = await shell.run(['data', 'import', 'source', 'titled', 'titled.ndjson', '--json']);
  expect(done.code).toBe(1);
  const { imported, failed } = done.json();
  expect(imported).toBe(246);
  expect(failed.map(({ line }: { line: number }) => line)).toEqual([7, 121, 201, 211]);
  expect(failed[0].error).toContain('data.title');
  expect(done.stderr).toContain('titled.ndjson:7: data.title');
  const { body } = await call(server, 'GET', '/api/pages/source/social-data/titled/count', { token });
  expect(body.count).toBe(246);
  write('other.ndjson', `${lines[210]}\n`);
  const taken = await shell.json(['data', 'import', 'source', 'titled', 'other.ndjson', '--any-collection']);
  expect(taken.imported).toBe(1);
});

test('keeps a batch below the limit of the service', async () => {
  write(
    'large.ndjson',
    Array.from({ length: 40 }, () => JSON.stringify({ text: 'x'.repeat(250_000) })).join('\n'),
  );
  expect((await shell.json(['data', 'import', 'copy', 'large', 'large.ndjson'])).imported).toBe(40);
  write('too-large.ndjson', JSON.stringify({ text: 'x'.repeat(300_000) }));
  const refused = await shell.run(['data', 'import', 'copy', 'large', 'too-large.ndjson', '--json']);
  expect(refused).toMatchObject({ code: 1 });
  expect(refused.json()).toMatchObject({ imported: 0, failed: [{ line: 1 }] });
});

test('imports records with very many values in smaller batches', async () => {
  const numbers = JSON.stringify({ numbers: Array.from({ length: 3_000 }, () => 1) });
  write('numbers.ndjson', `${numbers}\n`.repeat(100));
  expect((await shell.json(['data', 'import', 'copy', 'numbers', 'numbers.ndjson'])).imported).toBe(100);
});

test('reports what is not possible with its exit code', async () => {
  expect((await shell.run(['data', 'export', 'nothing'])).code).toBe(4);
  expect(await shell.run(['data', 'export', 'plain'])).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('storage mode'),
  });
  expect((await shell.run(['data', 'import', 'copy', 'things', 'no-file'])).code).toBe(4);
  expect(
    (await shell.run(['data', 'import', 'copy', 'Bad-Name', 'other.ndjson', '--any-collection'])).code,
  ).toBe(1);
  expect(await shell.run(['data', 'export', 'copy', 'empty'])).toMatchObject({ code: 0, stdout: '' });
  const guest = { env: { QUIRE_TOKEN: 'qr_wrong' } };
  expect(
    (await shell.run(['data', 'import', 'copy', 'things', 'other.ndjson', '--any-collection'], guest)).code,
  ).toBe(3);
});

test('lists, shows, exports and deletes the messages of a form', async () => {
  const send = (body: object) => call(server, 'POST', '/api/pages/plain/forms/contact', { body });
  await send({ name: 'Grace', message: '=1+1' });
  await send({ name: 'Ada\u001b[31m', message: 'one\ntwo' });
  expect(await shell.json(['forms', 'list', 'plain'])).toMatchObject({
    forms: [{ name: 'contact', messages: 2, unread: 2 }],
    unread: 2,
  });
  const { stdout } = await shell.run(['forms', 'read', 'plain', 'contact', '--limit', '1', '--mark']);
  expect(stdout).toContain('  name: Ada\\x1b[31m\n  message: one\n    two');
  const unread = await shell.json(['forms', 'read', 'plain', 'contact', '--unread']);
  expect(unread.messages).toMatchObject([{ fields: { name: 'Grace' } }]);
  expect((await shell.run(['forms', 'export', 'plain', 'contact'])).stdout).toContain("Grace,'=1+1,");
  await shell.run(['forms', 'export', 'plain', 'contact', '--out', 'messages.csv']);
  expect(readFileSync(join(shell.folder, 'messages.csv'), 'utf8').split('\r\n')).toHaveLength(4);
  expect(await shell.json(['forms', 'notices', 'plain', 'off'])).toMatchObject({ formNotices: false });
  expect((await shell.run(['forms', 'notices', 'plain', 'maybe'])).code).toBe(2);
  const id = unread.messages[0].id as string;
  expect((await shell.run(['forms', 'delete', 'plain', 'contact', id])).code).toBe(2);
  expect((await shell.run(['forms', 'delete', 'plain', 'contact', id, '--yes'])).code).toBe(0);
  expect((await shell.run(['forms', 'delete', 'plain', 'contact', '--yes'])).code).toBe(0);
  expect((await shell.run(['forms', 'list', 'plain'])).stdout).toBe('This page has no messages yet.\n');
});
