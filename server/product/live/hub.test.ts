import { expect, test } from 'bun:test';
import { createRelay } from '../../platform/coordination/events/index.ts';
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
