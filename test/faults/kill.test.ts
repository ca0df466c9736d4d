import { Database } from 'bun:sqlite';
import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { call, publish, register } from '../support/fault-client.ts';
import { expectAllThere, type Journal, readJournal } from '../support/fault-journal.ts';
import { startDatabase } from '../support/fault-postgres.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

const WRITER = join(import.meta.dir, '../support/fault-writer.ts');
/** Each round writes so much at least, and then goes on for a random time. */
const MIN_WRITES = 10;
const MAX_WRITING_MS = 400;

let dataFolder: string;

beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'quire-kill-'));
});
afterEach(() => rmSync(dataFolder, { recursive: true, force: true }));

describe('a server killed while it writes', () => {
  test('has every acknowledged write when it starts again, 20 times in a row, on SQLite', async () => {
    const acknowledged = await killInRounds(20, { QUIRE_QUOTA_PAGES: '1000000' });
    expect(acknowledged).toBeGreaterThanOrEqual(20 * MIN_WRITES);
    expectWholeDatabase(join(dataFolder, 'quire.db'));
  }, 120_000);

  test('has every acknowledged write when it starts again, 5 times in a row, on PostgreSQL', async () => {
    const database = await startDatabase();
    try {
      const acknowledged = await killInRounds(5, { DATABASE_URL: database.url });
      expect(acknowledged).toBeGreaterThanOrEqual(5 * MIN_WRITES);
    } finally {
      await database.stop();
    }
  }, 120_000);
});

/** Starts, checks what the round before was promised, writes, kills; in the end checks everything at once. */
async function killInRounds(rounds: number, settings: Record<string, string>): Promise<number> {
  const journals: Journal[] = [];
  let token: string | undefined;
  for (let round = 1; round <= rounds; round++) {
    const server = await startServer({ dataFolder, settings });
    try {
      token ??= (await register(server, 'writer')).token;
      const last = journals.at(-1);
      if (last) await expectAllThere(server, last, token);
      journals.push(await writeUntilKilled(server, token));
    } finally {
      await server.kill();
    }
  }
  const server = await startServer({ dataFolder, settings });
  try {
    for (const journal of journals) await expectAllThere(server, journal, token ?? '');
    const { slug } = await publish(server, token ?? '', { name: 'Still writable' });
    expect((await call(server, 'GET', `/p/${slug}`)).status).toBe(200);
  } finally {
    expect(await server.stop()).toBe(0);
  }
  return journals.reduce((sum, { count }) => sum + count, 0);
}

async function writeUntilKilled(server: TestServer, token: string): Promise<Journal> {
  const writer = Bun.spawn([process.execPath, WRITER, String(server.port), token], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of writer.stdout) text += Buffer.from(chunk).toString();
  })();
  try {
    await waitUntil(
      async () =>
        readJournal(text.slice(0, text.lastIndexOf('\n'))).count >= MIN_WRITES || writer.exitCode !== null,
    );
    await Bun.sleep(Math.random() * MAX_WRITING_MS);
    await server.kill();
    await Promise.all([writer.exited, reading]);
  } finally {
    writer.kill('SIGKILL');
  }
  expect(await new Response(writer.stderr).text()).toBe('');
  return readJournal(text);
}

/** Looks for halves: a page without its document, a count that is not what it counts, an account without its parts. */
function expectWholeDatabase(path: string): void {
  const database = new Database(path, { readonly: true });
  try {
    const count = (sql: string) =>
      database.query<{ n: number }, []>(`select count(*) as n from ${sql}`).get()?.n;
    expect(database.query('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
    expect(database.query('pragma foreign_key_check').all()).toEqual([]);
    expect(count('pages p where version <> (select count(*) from page_versions where page_id = p.id)')).toBe(
      0,
    );
    expect(count('usage u where pages <> (select count(*) from pages where owner_id = u.user_id)')).toBe(0);
    expect(
      count(`usage u where bytes <> (select coalesce(sum(size), 0) from (
          select page_id, size from page_versions union all
          select page_id, octet_length(spec) from agent_specs
        ) join pages on pages.id = page_id where owner_id = u.user_id)`),
    ).toBe(0);
    expect(count('users where id not in (select user_id from usage)')).toBe(0);
    expect(count('users where id not in (select user_id from credit_accounts)')).toBe(0);
  } finally {
    database.close();
  }
}
