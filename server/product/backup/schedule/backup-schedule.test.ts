import { afterEach, beforeEach, expect, test } from 'bun:test';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitUntil } from '../../../../test/support/server.ts';
import { AppError } from '../../../lib/errors.ts';
import { createLog } from '../../../platform/http/index.ts';
import { type Storage, startStorage } from '../../../platform/storage/index.ts';
import { BackupSettingError } from '../setting-error.ts';
import { BackupSchedule } from './backup-schedule.ts';
import { findPlan } from './store.ts';

const START = Date.parse('2026-03-01T00:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

let folder: string;
let storage: Storage;
let now: number;
/** What became of the backups that the nodes began. */
let begun: number;
let mails: Array<{ problem: string; nextAt: number }>;
let proven: string[];
/** What the next backups end with; an error if they do not even begin. */
let result: string | Error | undefined;
let isLost: boolean;
const nodes: BackupSchedule[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quire-plan-'));
  storage = await startStorage({ dataFolder: folder });
  [now, begun, mails, proven, result, isLost] = [START, 0, [], [], undefined, false];
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
  await storage.stop();
  rmSync(folder, { recursive: true });
});

async function node(cron = '30 3 * * *', wasLost = false): Promise<BackupSchedule> {
  const schedule = await BackupSchedule.start({
    cron,
    wasLost,
    db: storage.db,
    now: () => now,
    log: createLog('silent', { write: () => undefined }),
    async begin() {
      begun++;
      if (result instanceof Error) throw result;
      return { name: `backup ${begun}`, ended: Promise.resolve(result) };
    },
    async endLost() {
      const wasLost = isLost;
      isLost = false;
      return wasLost;
    },
    async warn(_, failure) {
      mails.push(failure);
    },
    async prove(name) {
      proven.push(name);
    },
  });
  nodes.push(schedule);
  return schedule;
}

/** Waits until the plan is one for this time. */
const untilPlanned = (time: string) =>
  waitUntil(async () => (await findPlan(storage.db))?.due_at === Date.parse(time));

test('one of several nodes makes the backup that is due, and then the next one', async () => {
  const [first] = [await node(), await node(), await node()];
  await untilPlanned('2026-03-01T03:30:00Z');
  expect(begun).toBe(0);
  now = Date.parse('2026-03-01T03:30:00Z');
  await untilPlanned('2026-03-02T03:30:00Z');
  await waitUntil(async () => proven.length === 1);
  now += 24 * HOUR;
  await untilPlanned('2026-03-03T03:30:00Z');
  await waitUntil(async () => proven.length === 2);
  expect([begun, mails]).toEqual([2, []]);
  expect(await first?.read()).toMatchObject({ nextAt: '2026-03-03T03:30:00.000Z', failures: 0 });
});

test('a failure is tried again, sooner at first, and mailed once until one succeeds', async () => {
  const schedule = await node();
  await untilPlanned('2026-03-01T03:30:00Z');
  result = 'The disk is full.';
  now = Date.parse('2026-03-01T03:30:00Z');
  await untilPlanned('2026-03-01T03:40:00Z');
  now += 10 * MINUTE;
  await untilPlanned('2026-03-01T04:00:00Z');
  expect(await schedule.read()).toMatchObject({ failures: 2, problem: 'The disk is full.' });
  expect(mails).toEqual([
    expect.objectContaining({ problem: 'The disk is full.', nextAt: Date.parse('2026-03-01T03:40:00Z') }),
  ]);
  result = undefined;
  now += 20 * MINUTE;
  await untilPlanned('2026-03-02T03:30:00Z');
  await waitUntil(async () => (await schedule.read())?.failures === 0);
  result = new Error('the bucket is silent');
  now = Date.parse('2026-03-02T03:30:00Z');
  await waitUntil(async () => mails.length === 2);
  expect(mails[1]?.problem).toContain('The log of the server says what.');
  expect(proven).toEqual(['backup 3']);
});

test('a retry does not come after the next moment of the schedule', async () => {
  await node('*/5 * * * *');
  await untilPlanned('2026-03-01T00:05:00Z');
  result = 'no';
  now += 5 * MINUTE;
  await untilPlanned('2026-03-01T00:10:00Z');
});

test('a backup that somebody makes by hand is waited for, and is not a failure', async () => {
  await node();
  await untilPlanned('2026-03-01T03:30:00Z');
  result = new AppError('CONFLICT', 'Another backup is running. Try again when it is complete.');
  now = Date.parse('2026-03-01T03:30:00Z');
  await untilPlanned('2026-03-01T03:31:00Z');
  expect(mails).toEqual([]);
});

test('a backup whose node was killed has failed, and a missed one is made up for', async () => {
  await node('30 3 * * *', true);
  await untilPlanned('2026-03-01T03:30:00Z');
  for (const schedule of nodes.splice(0)) await schedule.stop();
  isLost = true;
  now = Date.parse('2026-03-05T12:00:00Z');
  await node();
  await waitUntil(async () => mails.length === 1);
  expect(mails[0]?.problem).toBe('The server stopped before it was complete.');
  await untilPlanned('2026-03-05T12:10:00Z');
  now += 10 * MINUTE;
  await untilPlanned('2026-03-06T03:30:00Z');
  expect(begun).toBe(1);
});

test('a clock that was far ahead does not delay backups, and a new schedule is planned anew', async () => {
  now = Date.parse('2031-01-01T00:00:00Z');
  await node();
  await untilPlanned('2031-01-01T03:30:00Z');
  for (const schedule of nodes.splice(0)) await schedule.stop();
  now = START;
  await node();
  await untilPlanned('2026-03-01T03:30:00Z');
  for (const schedule of nodes.splice(0)) await schedule.stop();
  await node('0 12 * * 0');
  await untilPlanned('2026-03-01T12:00:00Z');
  expect(begun).toBe(0);
});

test('two missing backups are late, one is not', async () => {
  const schedule = await node();
  const newest = Date.parse('2026-03-01T03:30:05Z');
  now = Date.parse('2026-03-03T03:30:00Z');
  expect(await schedule.isLate(newest)).toBe(false);
  now += 1;
  expect(await schedule.isLate(newest)).toBe(true);
  expect(await schedule.isLate(undefined)).toBe(false);
});

test.each(['61 * * * *', '0 0 31 2 *', 'a b c d e'])('%s is not a schedule', async (cron) => {
  await expect(node(cron)).rejects.toBeInstanceOf(BackupSettingError);
});
