import { Database } from 'bun:sqlite';
import { expect, test } from 'bun:test';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openDestination, readSpan, restoreReplica } from '../../server/platform/replica/index.ts';
import { descendants, isRunning } from '../support/faults/process.ts';
import { isSoak, ROUNDS_MS, rounds } from '../support/faults/rounds.ts';
import { publish, register } from '../support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../support/server.ts';

const ROUNDS = rounds(2, 100);
const CONNECTIONS = 40;
const MIN_WRITES = 300;
const MAX_WRITING_MS = 2_500;
/** What is promised. A machine that other tests keep busy cannot prove it, so only soaks do. */
const PROMISED_MS = 1_000;

test(
  'a machine that is lost under load leaves a whole replica, with all but the last second',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quire-lost-'));
    const dataFolder = join(folder, 'data');
    const settings = {
      QUIRE_REPLICA: `file://${join(folder, 'replica')}`,
      QUIRE_QUOTA_BYTES: '0',
      QUIRE_LOG_LEVEL: 'warn',
    };
    const destination = openDestination({ kind: 'folder', folder: join(folder, 'replica') });
    let target: { token: string; path: string } | undefined;
    const lost: number[] = [];
    const rates: number[] = [];
    /** Records that the server has confirmed in earlier rounds. It has them after each start, so each replica does. */
    const confirmed = new Set<string>();
    try {
      for (let round = 1; round <= ROUNDS; round++) {
        const startedAt = Date.now();
        const server = await startServer({ dataFolder, settings });
        try {
          target ??= await makeTarget(server);
          // A full copy may have to be made first.
          await waitUntil(async () => isFollowing(dataFolder, startedAt));
          const { written, killedAt, perSecond } = await writeUntilLost(server, target, round % 2 === 0);
          const found = await restore(folder, destination);
          const shippedAt = (await readSpan(destination))?.newestAt ?? 0;
          expect([...confirmed].filter((id) => !found.has(id))).toEqual([]);
          const missing = written.filter(({ id }) => !found.has(id));
          expect(missing.filter(({ at }) => at < shippedAt - 1)).toEqual([]);
          const lostMs = missing.length === 0 ? 0 : killedAt - Math.min(...missing.map(({ at }) => at));
          lost.push(lostMs);
          rates.push(perSecond);
          for (const { id } of written) confirmed.add(id);
          if (isSoak)
            console.log(
              `round ${round}: ${perSecond} writes/s, lost ${missing.length} in ${Math.round(lostMs)} ms`,
            );
        } finally {
          await server.kill();
        }
      }
      console.log(`${confirmed.size} writes in ${ROUNDS} rounds`);
      expect(lost).toHaveLength(ROUNDS);
      expect(confirmed.size).toBeGreaterThanOrEqual(ROUNDS * MIN_WRITES);
      if (isSoak) {
        console.log(
          `at most ${Math.round(Math.max(...lost))} ms lost, ${Math.min(...rates)} to ${Math.max(...rates)} writes/s`,
        );
        expect(Math.max(...lost)).toBeLessThan(PROMISED_MS);
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  ROUNDS_MS,
);

function isFollowing(dataFolder: string, since: number): boolean {
  const path = join(dataFolder, 'replica-state.json');
  if (!existsSync(path)) return false;
  const { status, checkedAt } = JSON.parse(readFileSync(path, 'utf8'));
  return status === 'following' && checkedAt > since;
}

async function makeTarget(server: TestServer): Promise<{ token: string; path: string }> {
  const { token } = await register(server, 'replicawriter');
  const page = await publish(server, token, { name: 'Data', storage_mode: 'social_app' });
  return { token, path: `/api/pages/${page.id}/social-data/things` };
}

/** Writes from many connections, and then ends the server with everything it has started, or the server alone. */
async function writeUntilLost(server: TestServer, target: { token: string; path: string }, isAlone: boolean) {
  const written: Array<{ id: string; at: number }> = [];
  const url = `http://127.0.0.1:${server.port}${target.path}`;
  const headers = { authorization: `Bearer ${target.token}`, 'content-type': 'application/json' };
  const startedAt = Date.now();
  const write = async () => {
    for (;;) {
      const response = await fetch(url, {
        method: 'POST',
        headers,
        body: '{"data":{"title":"A record","n":42}}',
      });
      const { id } = (await response.json()) as { id: string };
      written.push({ id, at: Date.now() });
    }
  };
  const writing = Array.from({ length: CONNECTIONS }, () => write().catch(() => undefined));
  await waitUntil(async () => written.length >= MIN_WRITES);
  await Bun.sleep(Math.random() * MAX_WRITING_MS);
  const pids = descendants(server.pid);
  const shippers = pids.filter((pid) => readCommand(pid).includes('replica.process'));
  expect(shippers).toHaveLength(1);
  const perSecond = Math.round((1000 * written.length) / (Date.now() - startedAt));
  const killedAt = Date.now();
  if (!isAlone) for (const pid of shippers) process.kill(pid, 'SIGKILL');
  process.kill(server.pid, 'SIGKILL');
  await Promise.all(writing);
  // If only the server was killed, the other process ships what is left.
  await waitUntil(async () => shippers.every((pid) => !isRunning(pid)));
  return { written, killedAt, perSecond };
}

function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    return '';
  }
}

async function restore(
  folder: string,
  destination: ReturnType<typeof openDestination>,
): Promise<Set<string>> {
  const into = mkdtempSync(join(folder, 'restored-'));
  await restoreReplica({
    ...{ destination, folder: into, time: undefined, databasesInner: 'quire-database' },
    readNeeds: () => ({ files: [], databases: [] }),
  });
  const database = new Database(join(into, 'quire.db'));
  try {
    expect(database.prepare('pragma integrity_check').values()).toEqual([['ok']]);
    expect(database.prepare('pragma foreign_key_check').values()).toEqual([]);
    return new Set(
      database
        .prepare('select id from records')
        .values()
        .map(([id]) => String(id)),
    );
  } finally {
    database.close();
    rmSync(into, { recursive: true, force: true });
  }
}
