import { randomUUID } from 'node:crypto';
import type { Redis } from '../redis/index.ts';
import type { Broadcast } from './broadcast.ts';
import type { Events } from './events.ts';
import { MemoryEvents } from './memory.ts';
import { RedisEvents } from './redis.ts';

/** Messages to the other nodes. */
export { type Broadcast, createBroadcast } from './broadcast.ts';
/** Caches database rows in memory for as long as they may be used. */
export { CheckedCache, type CheckedEntry, type EntryStore } from './checked-cache.ts';
/** Decides how long cached rows may be used. */
export { createChecks } from './checks.ts';
/** Publish and subscribe. */
export type { Events, Listener, LiveEvent } from './events.ts';

/** Events between all nodes if there is Redis, otherwise within this process. */
export function createEvents<Message>(broadcast: Broadcast, redis?: Redis): Events<Message> {
  return redis ? new RedisEvents(redis, broadcast) : new MemoryEvents(randomUUID().slice(0, 8));
}
/** Which node of a cluster has which databases. */
export { startHolders } from './holders.ts';
/** Messages between nodes that nobody keeps. */
export { createRelay, type Relay } from './relay.ts';
