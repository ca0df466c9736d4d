import { Database } from 'bun:sqlite';
import { describe, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDatabase } from '../support/engines/process-postgres.ts';
import { expectAllThere, type Journal, readJournal } from '../support/faults/journal.ts';
import { type RecordWriter, recordWriter } from '../support/faults/records.ts';
import { rounds } from '../support/faults/rounds.ts';
import { call, publish, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

const WRITER = join(import.meta.dir, '../support/faults/writer.ts');
/** Each round writes at least this many pages and records, and then continues for a random time. */
const MIN_PAGE_WRITES = 10;
const MIN_RECORD_WRITES = 30;
const MAX_WRITING_MS = 400;

describe.concurrent('a server killed during writes', () => {
  test('has every acknowledged write, and published no event for a lost one, on SQLite', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'quire-kill-'));
    try {
      await killInRounds(rounds(1, 20), dataFolder, { QUIRE_QUOTA_PAGES: '1000000' });
      expectWholeDatabase(join(dataFolder, 'quire.db'));
    } finally {
      rmSync(dataFolder, { recursive: true, force: true });
    }
  }, 480_000);

  test('has every acknowledged write, and published no event for a lost one, on PostgreSQL', async () => {
    const dataFolder = mkdtempSync(join(tmpdir(), 'quire-kill-'));
    const database = await startDatabase();
    try {
      await killInRounds(rounds(1, 5), dataFolder, { DATABASE_URL: database.url });
    } finally {
      await database.stop();
      rmSync(dataFolder, { recursive: true, force: true });
    }
  }, 240_000);
});

/**
 * Each round starts the server, checks the previous round, writes, and kills it. The last step checks all
 * rounds.
 */
async function killInRounds(
  count: number,
  dataFolder: string,
  settings: Record<string, string>,
): Promise<void> {
  const journals: Journal[] = [];
  let token = '';
  let records: RecordWriter | undefined;
  for (let round = 1; round <= count; round++) {
    const server = await startServer({ dataFolder, settings });
    try {
      token ||= (await register(server, 'writer')).token;
      records ??= await recordWriter(server, token);
      await records.expectAllThere(server);
      const last = journals.at(-1);
      if (last) await expectAllThere(server, last, token);
      journals.push(await writeUntilKilled(server, token, records));
    } finally {
      await server.kill();
    }
  }
  const server = await startServer({ dataFolder, settings });
  try {
    await records?.expectAllThere(server);
    for (const journal of journals) await expectAllThere(server, journal, token);
    const { slug } = await publish(server, token, { name: 'Still writable' });
    expect((await call(server, 'GET', `/p/${slug}`)).status).toBe(200);
  } finally {
    expect(await server.stop()).toBe(0);
  }
}

async function writeUntilKilled(server: TestServer, token: string, records: RecordWriter): Promise<Journal> {
  const writer = Bun.spawn([process.execPath, WRITER, String(server.port), token], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let text = '';
  const reading = (async () => {
    for await (const chunk of writer.stdout) text += Buffer.from(chunk).toString();
  })();
  const pageWrites = () => readJournal(text.slice(0, text.lastIndexOf('\n'))).count;
  try {
    await waitUntil(async () => pageWrites() >= MIN_PAGE_WRITES || writer.exitCode !== null);
    const recording = await records.start(server);
    await waitUntil(async () => recording.writes() >= MIN_RECORD_WRITES);
    await Bun.sleep(Math.random() * MAX_WRITING_MS);
    await server.kill();
    await Promise.all([writer.exited, reading, recording.ended()]);
  } finally {
    writer.kill('SIGKILL');
  }
  expect(await new Response(writer.stderr).text()).toBe('');
  expect(pageWrites()).toBeGreaterThanOrEqual(MIN_PAGE_WRITES);
  return readJournal(text);
}

/** Looks for partial writes: a page without its document, a wrong count, an incomplete account. */
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
          select page_id, octet_length(spec) from agent_specs union all
          select page_id, size + 256 from records join collections on collections.id = collection_id
        ) join pages on pages.id = page_id where owner_id = u.user_id)`),
    ).toBe(0);
    const records = 'from records r where r.collection_id = c.collection_id';
    expect(
      count(`record_counts c where records <> (select count(*) ${records})
        or bytes <> (select sum(size + 256) ${records})`),
    ).toBe(0);
    expect(count('users where id not in (select user_id from usage)')).toBe(0);
    expect(count('users where id not in (select user_id from credit_accounts)')).toBe(0);
  } finally {
    database.close();
  }
}
