import { z } from 'zod';
import type { Redis } from '../redis/index.ts';

/** Which node of a cluster has which databases of functions, for those who look after it. */
export interface Holders {
  /** The ids of databases, by the address of the node at which they were used last. */
  list(): Promise<Record<string, number[]>>;
  stop(): Promise<void>;
}

const TELL_MS = 2_000;
/** What a node told longer ago is no longer so. */
const OLD_MS = 15_000;
const Told = z.object({ at: z.number(), lastUses: z.record(z.string(), z.number()) });

/** Nodes tell each other through Redis, which forgets; without it each knows of itself. */
export function startHolders(options: {
  redis: Redis;
  address: string;
  lastUses(): Record<number, number>;
}): Holders {
  const { redis, address } = options;
  const key = `${redis.prefix}holders`;
  const told = () => ({ at: Date.now(), lastUses: options.lastUses() });
  const tell = () =>
    redis.run((client) => client.hset(key, address, JSON.stringify(told()))).catch(() => undefined);
  void tell();
  const telling = setInterval(tell, TELL_MS);
  return {
    async list() {
      const others = await redis.run((client) => client.hgetall(key)).catch(() => ({}));
      const nodes = new Map([[address, told()]]);
      for (const [other, text] of Object.entries(others))
        if (other !== address) nodes.set(other, Told.parse(JSON.parse(text)));
      return byNode(nodes);
    },
    async stop() {
      clearInterval(telling);
      await redis.run((client) => client.hdel(key, address)).catch(() => undefined);
    },
  };
}

/** A database that has moved is at the node that used it last. */
function byNode(nodes: Map<string, z.infer<typeof Told>>): Record<string, number[]> {
  const latest = new Map<string, { node: string; at: number }>();
  const listed: Record<string, number[]> = {};
  for (const [node, { at: toldAt, lastUses }] of nodes) {
    if (Date.now() - toldAt > OLD_MS) continue;
    listed[node] = [];
    for (const [id, at] of Object.entries(lastUses))
      if (at > (latest.get(id)?.at ?? 0)) latest.set(id, { node, at });
  }
  for (const [id, { node }] of latest) listed[node]?.push(Number(id));
  return listed;
}
