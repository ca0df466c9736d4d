import { Database } from 'bun:sqlite';
import { afterAll, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { RESTORE_STEPS } from '../../contract/pages/history/moments.ts';
import { isSoak, ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { call, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

/** A server that is killed while it restores several applications. */

let server: TestServer | undefined;
const folder = mkdtempSync(join(tmpdir(), 'quire-moments-'));
afterAll(async () => {
  await server?.kill();
  rmSync(folder, { recursive: true, force: true });
});

const OPTIONS = {
  settings: { QUIRE_LOG_LEVEL: 'warn', QUIRE_DEPLOYS_PER_HOUR: '0' },
  dataFolder: folder,
};
const RECORDS = 300;
const OWNERS = 2;
const PAGES_OF_EACH = 2;
/** A restore takes about this long, when it is not interrupted. */
const LONGEST_MS = 1_500;
/** The steps that change something, and the one before. */
const STEPS = RESTORE_STEPS.slice(0, RESTORE_STEPS.indexOf('done'));
const ROUNDS = Number(process.env.QUIRE_TEST_ROUNDS ?? rounds(4, 200));
/** From so many rounds on, every step must have been interrupted. Some last a few milliseconds only. */
const MANY = 100;
const worker = (text: string) => `export default { fetch: () => new Response("${text}") };`;

// biome-ignore lint/suspicious/noExplicitAny: answers of many endpoints
type Send = (method: string, path: string, body?: object) => Promise<any>;
type State = 'a' | 'b';

function sender(token: string): Send {
  return async (method, path, body) => {
    const answer = await call(server as TestServer, method, path, { token, ...(body && { body }) });
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}

/** A page with a function, an SQL table and records, which are all in state a or all in state b. */
async function makeApplication(ok: Send, slug: string) {
  const sql = (text: string) => ok('POST', `/api/functions/${slug}/database`, { sql: text });
  await ok('POST', '/api/functions', { slug, code: worker('a'), enableDatabase: true });
  const page = { name: 'a', html_content: '<p>a</p>', storage_mode: 'team_app', functions: [slug] };
  const { id } = (await ok('POST', '/api/pages', page)).page;
  const notes = `/api/pages/${id}/team-data/notes`;
  await sql("create table state as select 'a' as value");
  const ids: string[] = [];
  const inPieces = async (toOperation: (index: number) => object) => {
    for (let from = 0; from < RECORDS; from += 100) {
      const operations = Array.from({ length: 100 }, (_, index) => toOperation(from + index));
      const { results } = await ok('POST', `${notes}/batch`, { operations });
      ids.push(...results.map(({ record }: { record: { id: string } }) => record.id));
    }
  };
  await inPieces(() => ({ op: 'create', data: { state: 'a' } }));
  const keep = async (name: string): Promise<string> =>
    (await ok('POST', `/api/pages/${id}/moments`, { name })).at;
  const moments = { a: await keep('a'), b: '' };
  await ok('PATCH', `/api/pages/${id}`, { name: 'b', html_content: '<p>b</p>' });
  await ok('PATCH', `/api/functions/${slug}`, { code: worker('b') });
  await sql("update state set value = 'b'");
  await inPieces((index) => ({ op: 'update', id: ids[index], data: { state: 'b' } }));
  moments.b = await keep('b');
  return {
    state: 'b' as string,
    /** All states that parts of the application are in. */
    async read(): Promise<string> {
      const seen = new Set<string>();
      seen.add((await ok('GET', `/api/pages/${id}`)).page.name);
      seen.add((await ok('GET', `/api/functions/${slug}/code`)).code === worker('a') ? 'a' : 'b');
      seen.add((await sql('select value from state')).results[0].value);
      for (const state of ['a', 'b']) {
        const where = encodeURIComponent(JSON.stringify({ state }));
        const { count } = await ok('GET', `${notes}/count?where=${where}`);
        if (count > 0) seen.add(state);
        if (count > 0) expect(count).toBe(RECORDS);
      }
      return [...seen].join(' and ');
    },
    /** Restores the other state. Returns false if the answer never came. */
    restore: (state: State) =>
      ok('POST', `/api/pages/${id}/restore`, { at: moments[state] }).then(
        () => true,
        () => false,
      ),
    readRestore: async () => (await ok('GET', `/api/pages/${id}/restore`)).restore,
  };
}

/** Reads the steps at which restores are, or were when the server was killed. */
async function withSteps<T>(work: (readSteps: () => string[]) => T): Promise<Awaited<T>> {
  const database = new Database(join(folder, 'quire.db'), { readonly: true });
  try {
    const query = database.query('select step from restores where finished_at is null');
    return await work(() => query.values().map(([step]) => String(step)));
  } finally {
    database.close();
  }
}

/** Waits until a restore is at this step, or all have ended. */
async function untilStep(step: string, restores: Promise<unknown>): Promise<void> {
  let haveEnded = false;
  void restores.finally(() => {
    haveEnded = true;
  });
  await withSteps(async (readSteps) => {
    while (!haveEnded && !readSteps().includes(step)) await setImmediate();
  });
}

test(
  'a restore that was killed is finished or undone at the next start, never half done',
  async () => {
    server = await startServer(OPTIONS);
    const applications: Array<Awaited<ReturnType<typeof makeApplication>>> = [];
    for (let owner = 0; owner < OWNERS; owner++) {
      const { token } = await register(server, `moments-kill-${owner}`);
      for (let page = 0; page < PAGES_OF_EACH; page++)
        applications.push(await makeApplication(sender(token), `kill-moments-${owner}-${page}`));
    }
    for (const each of applications) expect(await each.read()).toBe('b');
    const steps: Record<string, number> = {};
    const times: Array<{ start: number; finish: number }> = [];
    let killed = 0;
    for (let round = 0; killed < ROUNDS; round++) {
      const cut = Promise.all(applications.map((each) => each.restore(each.state === 'b' ? 'a' : 'b')));
      // Every fifth time at any time, also between two steps.
      const step = STEPS[round % (STEPS.length + 1)];
      await (step ? untilStep(step, cut) : Bun.sleep(Math.random() * LONGEST_MS));
      await server.kill();
      await cut;
      for (const step of await withSteps((readSteps) => readSteps())) {
        killed++;
        steps[step] = (steps[step] ?? 0) + 1;
      }
      const startedAt = Date.now();
      server = await startServer(OPTIONS);
      const start = Date.now() - startedAt;
      for (const each of applications) {
        await waitUntil(async () => {
          const restore = await each.readRestore();
          return restore === null || restore.finished_at !== null;
        }).catch(async (error: Error) => {
          const restore = JSON.stringify(await each.readRestore());
          throw new Error(`${error.message} for ${restore}: ${(server as TestServer).output()}`);
        });
      }
      times.push({ start, finish: Date.now() - startedAt - start });
      for (const each of applications) {
        each.state = await each.read();
        expect(['a', 'b']).toContain(each.state);
      }
      const { output } = server;
      if (isSoak) console.log(killed, steps, times.at(-1), output().includes('"level":50') ? output() : '');
    }
    if (ROUNDS >= MANY) expect(Object.keys(steps)).toEqual(expect.arrayContaining([...STEPS]));
  },
  ROUNDS_MS,
);
