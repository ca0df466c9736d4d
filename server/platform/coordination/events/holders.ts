import { z } from 'zod';
import type { Redis } from '../redis/index.ts';

/** Which node of a cluster has which function databases, for operators. */
interface Holders {
  /** The ids of databases, by the address of the node that used them last. */
  list(): Promise<Record<string, number[]>>;
  stop(): Promise<void>;
}

const PUBLISH_MS = 2_000;
/** An older report is out of date. */
const OLD_MS = 15_000;
const Report = z.object({ at: z.number(), lastUses: z.record(z.string(), z.number()) });

/** Nodes publish their reports in Redis. While Redis is unavailable, a node lists only its own databases. */
export function startHolders(options: {
  redis: Redis;
  address: string;
  lastUses(): Record<number, number>;
  now(): number;
}): Holders {
  const { redis, address, now } = options;
  const key = `${redis.prefix}holders`;
  const report = () => ({ at: now(), lastUses: options.lastUses() });
  const publish = () =>
    redis.run((client) => client.hset(key, address, JSON.stringify(report()))).catch(() => undefined);
  void publish();
  const publishing = setInterval(publish, PUBLISH_MS);
  return {
    async list() {
      const others = await redis.run((client) => client.hgetall(key)).catch(() => ({}));
      const nodes = new Map([[address, report()]]);
      for (const [other, text] of Object.entries(others))
        if (other !== address) nodes.set(other, Report.parse(JSON.parse(text)));
      return byNode(nodes, now());
    },
    async stop() {
      clearInterval(publishing);
      await redis.run((client) => client.hdel(key, address)).catch(() => undefined);
    },
  };
}

/** After a failover two nodes can report a database: it is at the one that used it last. */
function byNode(nodes: Map<string, z.infer<typeof Report>>, now: number): Record<string, number[]> {
  const latest = new Map<string, { node: string; at: number }>();
  const listed: Record<string, number[]> = {};
  for (const [node, { at: reportedAt, lastUses }] of nodes) {
    if (now - reportedAt > OLD_MS) continue;
    listed[node] = [];
    for (const [id, at] of Object.entries(lastUses))
      if (at > (latest.get(id)?.at ?? 0)) latest.set(id, { node, at });
  }
  for (const [id, { node }] of latest) listed[node]?.push(Number(id));
  return listed;
}
