import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import type { RecordResponse } from '../../../../contract/data/records.ts';
import { readEvents } from '../../../../test/support/data/data.ts';
import { MemoryEvents } from '../../../platform/coordination/events/memory.ts';
import { EventStreams } from '../../../platform/http/index.ts';
import { announceAccess, type DataEvent, toChannel } from './events.ts';
import { followRecords } from './follow.ts';

const FOLLOWERS = 120;

test('a change of a page is checked for some followers at a time, and those who left are not checked', async () => {
  const events = new MemoryEvents<DataEvent>('run');
  const streams = new EventStreams();
  const leaving = new AbortController();
  const request = new Request('http://page/');
  const last = new Request('http://page/', { signal: leaving.signal });
  let checks = 0;
  for (let at = 0; at < FOLLOWERS; at++)
    followRecords(
      streams,
      events,
      {
        pageId: 1,
        storageType: 'social_data',
        actor: undefined,
        collections: ['notes'],
        rules: new Map(),
        endsAt: null,
        now: Date.now,
        read: async () => new Map(),
        findMissed: async () => undefined,
        async recheck() {
          checks++;
          return { storageType: 'social_data', actor: undefined, rules: new Map(), endsAt: null };
        },
      },
      { request: at === FOLLOWERS - 1 ? last : request, address: '10.0.0.1' },
    );
  announceAccess(events, 1);
  const turns: number[] = [];
  leaving.abort();
  for (let turn = 0; turn < 5; turn++) {
    await new Promise(process.nextTick);
    turns.push(checks);
    await setImmediate();
  }
  expect(turns[0]).toBe(50);
  expect(turns.at(-1)).toBe(FOLLOWERS - 1);
  streams.end();
  events.stop();
});

test('what waited while access was checked is sent as it is now', async () => {
  const events = new MemoryEvents<DataEvent>('run');
  const streams = new EventStreams();
  const checks: Array<() => void> = [];
  const present = new Map([['kept', record('kept', 'now')]]);
  const now = { storageType: 'social_data', actor: undefined, rules: new Map(), endsAt: null } as const;
  const response = followRecords(
    streams,
    events,
    {
      pageId: 1,
      collections: ['notes'],
      ...now,
      now: Date.now,
      read: async () => present,
      findMissed: async () => undefined,
      recheck: () => new Promise((resolve) => checks.push(() => resolve(now))),
    },
    { request: new Request('http://page/'), address: '10.0.0.1' },
  );
  const write = (id: string) => {
    const body = { type: 'created', collection: 'notes', record: record(id, 'secret') } as const;
    events.publish(
      toChannel(1),
      { kind: 'write', storageType: 'social_data', createdBy: 1, at: 0, body },
      100,
    );
  };
  // The page becomes private, then public again before the first check has read it.
  announceAccess(events, 1);
  write('kept');
  write('deleted');
  announceAccess(events, 1);
  const reading = readEvents(response);
  for (let done = 0; done < 2; done++) {
    while (checks.length === 0) await setImmediate();
    checks.shift()?.();
  }
  await reading.until(1);
  streams.end();
  await reading.ended;
  expect(reading.events.map(({ data }) => data)).toEqual([
    {},
    { type: 'created', collection: 'notes', record: record('kept', 'now') },
  ]);
  events.stop();
});

function record(id: string, text: string): RecordResponse {
  return { id, collection: 'notes', data: { text }, createdAt: '', updatedAt: '' };
}
