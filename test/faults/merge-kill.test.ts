import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSoak, ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** A server that is killed while it merges a branch. */

let server: TestServer | undefined;
const folder = mkdtempSync(join(tmpdir(), 'quire-merge-'));
afterAll(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const OPTIONS = {
  settings: { QUIRE_LOG_LEVEL: 'warn', QUIRE_DEPLOYS_PER_HOUR: '0' },
  dataFolder: folder,
};
const RECORDS = 600;
const ROWS = Array.from({ length: 200 }, (_, id) => id);
const STEPS = ['moment', 'page', 'databases', 'records'];
const NOTHING = 'nothing';

/** The step at which the merge is. */
function readStep(): string {
  const database = new Database(join(folder, 'quire.db'), { readonly: true });
  try {
    const query = 'select step from restores where merge is not null and finished_at is null';
    return String(database.query(query).values()[0]?.[0] ?? NOTHING);
  } finally {
    database.close();
  }
}

test(
  'a merge that was killed has changed nothing, or is finished at the next start, and can be undone',
  async () => {
    server = await startServer(OPTIONS);
    const { token } = await register(server, 'merge-kill');
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await call(server as TestServer, method, path, { token, ...(body && { body }) });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const code = (text: string) => `export default { fetch: () => new Response("${text}") };`;
    await ask('POST', '/api/functions', { slug: 'killed', code: code('main'), enableDatabase: true });
    const sql = async (slug: string, text: string) =>
      (await ask('POST', `/api/functions/${slug}/database`, { sql: text })).results;
    await sql('killed', 'create table sides (id integer primary key, side text)');
    await sql('killed', `insert into sides values ${ROWS.map((id) => `(${id}, 'main')`).join()}`);
    const { page } = await ask('POST', '/api/pages', {
      ...{ name: 'Killed', html_content: '<p>main</p>', storage_mode: 'team_app', functions: ['killed'] },
    });
    const write = async (id: number, operations: object[]) => {
      const path = `/api/pages/${id}/team-data/notes/batch`;
      for (let from = 0; from < operations.length; from += 100)
        await ask('POST', path, { operations: operations.slice(from, from + 100) });
    };
    const numbers = Array.from({ length: RECORDS }, (_, n) => n);
    await write(
      page.id,
      numbers.map((n) => ({ op: 'create', data: { n, side: 'main' } })),
    );
    const ids: string[] = [];
    for (let offset = 0; offset < RECORDS; offset += 100) {
      const list = `/api/pages/${page.id}/team-data/notes?limit=100&offset=${offset}`;
      for (const { id } of (await ask('GET', list)).records) ids.push(id);
    }
    const count = async (side: string) => {
      const where = encodeURIComponent(JSON.stringify({ side }));
      return (await ask('GET', `/api/pages/${page.id}/team-data/notes/count?where=${where}`)).count;
    };
    const read = async () => ({
      html: (await ask('GET', `/api/pages/${page.id}`)).page.html_content,
      code: (await ask('GET', '/api/functions/killed/code')).code,
      records: [await count('main'), await count('branch')],
      rows: await sql('killed', 'select side, count(*) as n from sides group by side'),
      columns: (await sql('killed', "select name from pragma_table_info('sides')")).length,
    });
    const before = await read();
    const after = {
      ...{ html: '<p>branch</p>', code: code('branch'), records: [0, RECORDS] },
      ...{ rows: [{ side: 'branch', n: ROWS.length }], columns: 3 },
    };
    const branches = `/api/pages/${page.id}/branches`;
    await ask('POST', branches, { name: 'b', data: 'all' });
    await waitUntil(async () => (await ask('GET', `${branches}/b`)).state === 'ready');
    const branch = (await ask('GET', `${branches}/b`)).page.id as number;
    await ask('PATCH', `/api/pages/${branch}`, { html_content: after.html });
    await ask('PATCH', '/api/functions/killed--b', { code: after.code });
    await sql('killed--b', "update sides set side = 'branch'");
    await sql('killed--b', 'alter table sides add column mood text');
    await write(
      branch,
      ids.map((id) => ({ op: 'update', id, data: { side: 'branch' } })),
    );
    const seen: Record<string, number> = {};
    for (let round = 0; round < rounds(STEPS.length, 60); round++) {
      const wanted = STEPS[round % STEPS.length] ?? NOTHING;
      let isOver = false;
      const cut = ask('POST', `${branches}/b/merge`, { records: true, tables: ['sides'], confirm: true })
        .catch(() => undefined)
        .finally(() => {
          isOver = true;
        });
      const rank = (step: string) => STEPS.indexOf(step);
      await waitUntil(async () => isOver || rank(readStep()) >= rank(wanted));
      await server.kill();
      await cut;
      const step = readStep();
      seen[step] = (seen[step] ?? 0) + 1;
      server = await startServer(OPTIONS);
      await waitUntil(async () => readStep() === NOTHING);
      const found = await read();
      expect([step, found]).toEqual([step, found.html === before.html ? before : after]);
      if (found.html === after.html) {
        const { restore } = await ask('GET', `/api/pages/${page.id}/restore`);
        await ask('POST', `/api/pages/${page.id}/restore`, { at: restore.undo });
      }
      expect(await read()).toEqual(before);
      expect((await ask('GET', `${branches}/b/changes`)).branch).toBe(RECORDS + 2 + ROWS.length + 1);
    }
    if (isSoak) console.log(seen);
    expect(Object.keys(seen).some((step) => step === 'databases' || step === 'records')).toBe(true);
  },
  ROUNDS_MS,
);
