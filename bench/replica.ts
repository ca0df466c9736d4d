import { existsSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FIRST_STATE, type ReplicaState, STATE_FILE } from '../server/platform/replica/state.ts';
import { descendants } from '../test/support/faults/process.ts';
import { call, publish, register } from '../test/support/http/client.ts';
import { startServer, type TestServer, waitUntil } from '../test/support/server.ts';
import { atMost, type Figure, type Report, toRows } from './report/figure.ts';
import type { Bench } from './support/bench.ts';
import { sendAtRate } from './support/own-load.ts';
import { startCpuMeter } from './support/process.ts';
import { median } from './support/table.ts';

/** What a replica costs while records are written at a fixed rate: its own process, and the bytes that it stores. */

const PER_SECOND = 1_000;
const RECORDS = 100;
const TASKS = ['created', 'updated'] as const;
type Task = (typeof TASKS)[number];
const BODY = JSON.stringify({ data: { title: 'A record', done: false, tags: ['one', 'two'], n: 42 } });

const SHARE = `Share of a core at ${PER_SECOND.toLocaleString('en')} writes/s`;
const CPU = 'CPU time of the replica per write in µs';
const BYTES = 'Bytes in the replica per write';
const RATE = 'Writes/s in this run';

export const figures: Figure[] = [
  { name: SHARE, digits: 3, rows: toRows(TASKS, atMost(0.15)) },
  { name: CPU, digits: 0, rows: toRows(TASKS) },
  { name: BYTES, digits: 0, rows: toRows(TASKS) },
  { name: RATE, digits: 0, rows: toRows(TASKS) },
];

export default async function replica(bench: Bench): Promise<Report> {
  const place = mkdtempSync(join(bench.folder, 'replica-'));
  const dataFolder = mkdtempSync(join(bench.folder, 'data-'));
  const settings = { QUIRE_REPLICA: `file://${place}`, QUIRE_QUOTA_BYTES: '0', QUIRE_RATE_LIMIT: '0' };
  const server = await startServer({ dataFolder, settings });
  bench.atEnd(server.stop);
  const { token } = await register(server, 'bench');
  const { id } = await publish(server, token, { storage_mode: 'social_app' });
  const path = `/api/pages/${id}/social-data/notes`;
  const ids: string[] = [];
  for (let at = 0; at < RECORDS; at++)
    ids.push((await call(server, 'POST', path, { token, body: JSON.parse(BODY) })).body.id);
  const base = `http://127.0.0.1:${server.port}${path}`;
  const headers = {
    host: `localhost:${server.port}`,
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
  };
  const send: Record<Task, (number: number) => Promise<Response>> = {
    created: () => fetch(base, { method: 'POST', headers, body: BODY }),
    updated: (number) =>
      fetch(`${base}/${ids[number % ids.length]}`, {
        method: 'PATCH',
        headers,
        body: `{"data":{"n":${number}}}`,
      }),
  };
  await untilFollowing(dataFolder);
  const pid = findReplica(server);
  const samples = Object.fromEntries(TASKS.map((task) => [task, [] as Sample[]])) as Record<Task, Sample[]>;
  for (let round = 0; round < bench.pick(3, 1); round++)
    for (const task of TASKS) {
      await untilFollowing(dataFolder);
      const stored = readStored(dataFolder);
      const cpuSince = startCpuMeter([pid]);
      const { sent, tookSeconds } = await sendAtRate(send[task], {
        perSecond: PER_SECOND,
        seconds: bench.pick(10, 3),
      });
      await untilFollowing(dataFolder);
      samples[task].push({
        share: cpuSince() / tookSeconds,
        cpu: (cpuSince() / sent) * 1e6,
        bytes: (readStored(dataFolder) - stored) / sent,
        rate: sent / tookSeconds,
      });
      console.error(task, samples[task].at(-1));
    }
  const middle = (field: keyof Sample) =>
    Object.fromEntries(TASKS.map((task) => [task, median(samples[task].map((each) => each[field]))]));
  return {
    note: `A replica in a folder; records of ${BODY.length} bytes.`,
    values: {
      [SHARE]: middle('share'),
      [CPU]: middle('cpu'),
      [BYTES]: middle('bytes'),
      [RATE]: middle('rate'),
    },
  };
}

interface Sample {
  share: number;
  cpu: number;
  bytes: number;
  rate: number;
}

function readState(dataFolder: string): ReplicaState {
  const path = join(dataFolder, STATE_FILE);
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : FIRST_STATE;
}

const readStored = (dataFolder: string) => readState(dataFolder).bytes;

/** Waits until everything that was written so far is in the replica. */
async function untilFollowing(dataFolder: string): Promise<void> {
  const from = Date.now();
  await waitUntil(async () => {
    const { status, shippedAt } = readState(dataFolder);
    return status === 'following' && (shippedAt ?? 0) > from;
  });
}

function findReplica({ pid }: TestServer): number {
  const isReplica = (each: number) =>
    readFileSync(`/proc/${each}/cmdline`, 'utf8').includes('replica.process');
  const found = descendants(pid).find(isReplica);
  if (found === undefined) throw new Error('the replica does not run');
  return found;
}
