import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** A server that is killed while it restores an application. */

let server: TestServer | undefined;
const folder = mkdtempSync(join(tmpdir(), 'quire-moments-'));
afterAll(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const RECORDS = 300;
/** A restore takes about this long, when it is not interrupted. */
const LONGEST_MS = 1_500;
const worker = (text: string) => `export default { fetch: () => new Response("${text}") };`;

test(
  'a restore that was killed is finished or undone at the next start, never half done',
  async () => {
    const options = {
      settings: { QUIRE_LOG_LEVEL: 'silent', QUIRE_DEPLOYS_PER_HOUR: '0' },
      dataFolder: folder,
    };
    server = await startServer(options);
    const { token } = await register(server, 'moments-kill');
    const ok = async (method: string, path: string, body?: object) => {
      const answer = await call(server as TestServer, method, path, { token, ...(body && { body }) });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const sql = (text: string) => ok('POST', '/api/functions/kill-moments/database', { sql: text });
    await ok('POST', '/api/functions', { slug: 'kill-moments', code: worker('a'), enableDatabase: true });
    const page = {
      name: 'a',
      html_content: '<p>a</p>',
      storage_mode: 'team_app',
      functions: ['kill-moments'],
    };
    const { id } = (await ok('POST', '/api/pages', page)).page;
    const notes = `/api/pages/${id}/team-data/notes`;
    await sql("create table state as select 'a' as value");
    const ids: string[] = [];
    for (let from = 0; from < RECORDS; from += 100) {
      const operations = Array.from({ length: 100 }, () => ({ op: 'create', data: { state: 'a' } }));
      const { results } = await ok('POST', `${notes}/batch`, { operations });
      ids.push(...results.map(({ record }: { record: { id: string } }) => record.id));
    }
    const read = async () => {
      const seen = new Set<string>();
      seen.add((await ok('GET', `/api/pages/${id}`)).page.name);
      seen.add((await ok('GET', '/api/functions/kill-moments/code')).code === worker('a') ? 'a' : 'b');
      seen.add((await sql('select value from state')).results[0].value);
      for (const state of ['a', 'b']) {
        const where = encodeURIComponent(JSON.stringify({ state }));
        const { count } = await ok('GET', `${notes}/count?where=${where}`);
        if (count > 0) seen.add(state);
        if (count > 0) expect(count).toBe(RECORDS);
      }
      return [...seen].join(' and ');
    };
    const keep = async (name: string) =>
      (await ok('POST', `/api/pages/${id}/moments`, { name })).at as string;
    const moments = { a: await keep('a'), b: '' };
    await ok('PATCH', `/api/pages/${id}`, { name: 'b', html_content: '<p>b</p>' });
    await ok('PATCH', '/api/functions/kill-moments', { code: worker('b') });
    await sql("update state set value = 'b'");
    for (let from = 0; from < RECORDS; from += 100) {
      const some = ids.slice(from, from + 100);
      const operations = some.map((recordId) => ({ op: 'update', id: recordId, data: { state: 'b' } }));
      await ok('POST', `${notes}/batch`, { operations });
    }
    moments.b = await keep('b');
    let state = await read();
    expect(state).toBe('b');
    for (let round = 0; round < rounds(2, 200); round++) {
      const at = state === 'b' ? moments.a : moments.b;
      const cut = ok('POST', `/api/pages/${id}/restore`, { at }).catch(() => undefined);
      await Bun.sleep(Math.random() * LONGEST_MS);
      await server.kill();
      await cut;
      server = await startServer(options);
      await waitUntil(async () => {
        const { restore } = await ok('GET', `/api/pages/${id}/restore`);
        return restore === null || restore.finished_at !== null;
      });
      state = await read();
      expect(['a', 'b']).toContain(state);
    }
  },
  ROUNDS_MS,
);
