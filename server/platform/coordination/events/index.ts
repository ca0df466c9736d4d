import { randomUUID } from 'node:crypto';
import type { Redis } from '../redis/index.ts';
import type { Broadcast } from './broadcast.ts';
import type { Events } from './events.ts';
import { createMemoryEvents } from './memory.ts';
import { createRedisEvents } from './redis.ts';

/** Tells the other nodes. */
export { type Broadcast, createBroadcast } from './broadcast.ts';
/** Says how long what is kept of the database in memory may be used. */
export { type Checked, type Checks, createChecks } from './checks.ts';
/** Publish and subscribe. */
export type { Events, Listener, LiveEvent } from './events.ts';

/** Makes events between all nodes where there is Redis, and within this process where there is none. */
export function createEvents<Message>(broadcast: Broadcast, redis?: Redis): Events<Message> {
  return redis ? createRedisEvents(redis, broadcast) : createMemoryEvents(randomUUID().slice(0, 8));
}
/** Which node of a cluster has which databases. */
export { startHolders } from './holders.ts';
