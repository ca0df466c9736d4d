import { expect, test } from 'bun:test';
import { setImmediate } from 'node:timers/promises';
import { MemoryEvents } from '../../../platform/coordination/events/memory.ts';
import { EventStreams } from '../../../platform/http/index.ts';
import { announceAccess, type DataEvent } from './events.ts';
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
