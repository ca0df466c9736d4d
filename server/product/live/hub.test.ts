import { expect, test } from 'bun:test';
import { createRelay } from '../../platform/coordination/events/index.ts';
import type { Connection } from './connection.ts';
import { Delivery } from './delivery.ts';
import { LiveHub } from './hub.ts';
import { DELIVERIES_AT_ONCE, MAX_TABS_OF_PAGE } from './limits.ts';
import type { Visitor } from './visitor.ts';

const newHub = () => new LiveHub({ relay: createRelay(), publish: () => undefined, now: Date.now });
const visitor: Visitor = {
  person: { id: 'guest-1', username: null },
  isCheck: false,
  endsAt: null,
  readPage: async () => undefined,
  refusal: async () => undefined,
};

test('a page has so many tabs at a node, and a closed one makes room', () => {
  const hub = newHub();
  const page = { id: 1, owner_id: 1 };
  const open = (n: number) => hub.connect(visitor, page, `address ${n}`);
  const first = open(0);
  for (let n = 1; n < MAX_TABS_OF_PAGE; n++) open(n);
  expect(() => open(MAX_TABS_OF_PAGE)).toThrow('10,000 tabs of this page');
  hub.connect(visitor, { id: 2, owner_id: 1 }, 'address').closed();
  first.closed();
  open(MAX_TABS_OF_PAGE);
  expect(hub.status().tabs).toBe(MAX_TABS_OF_PAGE);
  hub.stop();
});

test('the pages of an owner deliver so many messages, and those of others are not affected', () => {
  const hub = newHub();
  const quarter = DELIVERIES_AT_ONCE / 4;
  for (let n = 0; n < 4; n++) hub.takeDeliveries(1, quarter);
  expect(() => hub.takeDeliveries(1, quarter)).toThrow('too many messages');
  hub.takeDeliveries(2, quarter);
  hub.stop();
});

test('one address gets half of what the pages of an owner deliver', () => {
  const hub = newHub();
  const half = DELIVERIES_AT_ONCE / 2;
  hub.takeDeliveries(1, half, 'loud');
  expect(() => hub.takeDeliveries(1, half, 'loud')).toThrow('too many messages');
  hub.takeDeliveries(1, half, 'other');
  expect(() => hub.takeDeliveries(1, half)).toThrow('too many messages');
  hub.stop();
});

/** The end of a connection that is opened now. */
function openNow(connection: Connection): Promise<number> {
  return new Promise((resolve) => {
    const ignore = () => undefined;
    connection.open({
      bufferedBytes: 0,
      countUnread: () => 0,
      send: () => 1,
      close: resolve,
      terminate: ignore,
      pause: ignore,
      resume: ignore,
      subscribe: ignore,
      unsubscribe: ignore,
    });
  });
}

test('somebody who loses access while they are let in does not stay', async () => {
  const hub = newHub();
  const lost: Visitor = { ...visitor, refusal: async () => 'access ended' };
  const page = { id: 1, owner_id: 1 };
  const since = hub.changes;
  hub.accessChanged(page.id);
  expect(await openNow(hub.connect(lost, page, 'address', since))).toBe(4403);
  // The connection also ends if the change is known before it is open.
  const late = hub.connect(lost, page, 'address');
  late.close(4403, 'The visitor can no longer see this page.');
  expect(await openNow(late)).toBe(4403);
  hub.stop();
});

test('many changes of access at once are checked together', async () => {
  const hub = newHub();
  let checks = 0;
  const checked = Promise.withResolvers<void>();
  const counting: Visitor = {
    ...visitor,
    refusal: async () => {
      checks++;
      return undefined;
    },
  };
  for (let n = 0; n < 10; n++) hub.connect(counting, { id: 1, owner_id: 1 }, 'address');
  for (let n = 0; n < 100; n++) hub.accessChanged(1);
  // This connection is checked after all others.
  hub.connect(
    {
      ...visitor,
      person: { id: 7, username: 'last' },
      refusal: async () => checked.resolve(),
    } as Visitor,
    { id: 1, owner_id: 1 },
    'address',
  );
  hub.loginsChanged(7);
  await checked.promise;
  expect(checks).toBe(10);
  hub.stop();
});

test('what is sent after a change of access waits for the check of that change', async () => {
  const received: string[] = [];
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  let checking: Promise<void> | undefined = first.promise;
  const ignore = () => undefined;
  const delivery = new Delivery({
    topic: 'room',
    publish: (_, frame) => received.push(frame),
    whenSure: () => checking,
  });
  delivery.add({ subscribe: ignore, unsubscribe: ignore, checkUnread: ignore });
  delivery.push('before');
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  checking = second.promise;
  delivery.push('after');
  first.resolve();
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(received).toEqual(['before']);
  second.resolve();
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
  expect(received).toEqual(['before', 'after']);
});
