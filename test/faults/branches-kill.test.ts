import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSoak, ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** A server that is killed while it makes a branch. */

let server: TestServer | undefined;
const folder = mkdtempSync(join(tmpdir(), 'quire-branches-'));
afterAll(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const OPTIONS = {
  settings: { QUIRE_LOG_LEVEL: 'warn', QUIRE_DEPLOYS_PER_HOUR: '0' },
  dataFolder: folder,
};
const RECORDS = 1_500;
const ROWS = 20_000;
const NOTHING = 'nothing';

/** The step at which the branch is, or was when the server was killed. */
function readStep(): string {
  const database = new Database(join(folder, 'quire.db'));
  try {
    database.run('pragma busy_timeout = 5000');
    return String(database.query('select step from branches').values()[0]?.[0] ?? NOTHING);
  } finally {
    database.close();
  }
}

test(
  'a branch whose making was killed is finished at the next start or is not there, and its page is as it was',
  async () => {
    server = await startServer(OPTIONS);
    const { token } = await register(server, 'branches-kill');
    const ask = async (method: string, path: string, body?: object) => {
      const answer = await call(server as TestServer, method, path, { token, ...(body && { body }) });
      if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    const slug = 'killed';
    const code = 'export default { fetch: () => new Response("main") };';
    await ask('POST', '/api/functions', { slug, code, enableDatabase: true });
    const sql = (name: string, text: string) => ask('POST', `/api/functions/${name}/database`, { sql: text });
    await sql(slug, 'create table numbers (n integer, text text)');
    await sql(
      slug,
      `with recursive c(n) as (select 1 union all select n + 1 from c where n < ${ROWS}) insert into numbers select n, hex(n) from c`,
    );
    const fields = {
      name: 'Killed',
      html_content: '<p>main</p>',
      storage_mode: 'team_app',
      functions: [slug],
    };
    const { page } = await ask('POST', '/api/pages', fields);
    for (let from = 0; from < RECORDS; from += 100) {
      const operations = Array.from({ length: 100 }, (_, at) => ({ op: 'create', data: { n: from + at } }));
      await ask('POST', `/api/pages/${page.id}/team-data/notes/batch`, { operations });
    }
    const read = async (id: number, name: string) => ({
      html: (await ask('GET', `/api/pages/${id}`)).page.html_content,
      records: (await ask('GET', `/api/pages/${id}/team-data/notes/count`)).count,
      rows: (await sql(name, 'select count(*) as n, sum(n) as sum from numbers')).results[0],
      code: (await ask('GET', `/api/functions/${name}/code`)).code,
    });
    const before = await read(page.id, slug);
    expect(before).toMatchObject({ records: RECORDS, rows: { n: ROWS } });
    const branches = `/api/pages/${page.id}/branches`;
    const steps: Record<string, number> = {};
    for (let round = 0, killed = 0; killed < rounds(2, 60); round++) {
      const name = `b${round}`;
      const body = { name, data: round % 2 === 0 ? 'all' : 'masked' };
      const cut = ask('POST', branches, body).catch(() => undefined);
      await waitUntil(async () => readStep() !== NOTHING);
      await server.kill();
      await cut;
      const step = readStep();
      steps[step] = (steps[step] ?? 0) + 1;
      if (step !== 'ready') killed++;
      server = await startServer(OPTIONS);
      const list = async () => (await ask('GET', branches)).branches;
      await waitUntil(async () => (await list()).every(({ state }: { state: string }) => state === 'ready'));
      expect(await read(page.id, slug)).toEqual(before);
      const [branch] = await list();
      expect([step, branch?.name]).toEqual([step, name]);
      expect(await read(branch.page.id, `${slug}--${name}`)).toEqual(before);
      await ask('DELETE', `${branches}/${name}`);
      expect(readStep()).toBe(NOTHING);
      expect(await read(page.id, slug)).toEqual(before);
      if (isSoak) console.log(killed, steps);
    }
  },
  ROUNDS_MS,
);
