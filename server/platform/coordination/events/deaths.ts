import type { Redis } from '../redis/index.ts';
import { ERA_KEY } from './stream-scripts.ts';

const NOTE_MS = 1_000;
/** A node that has not reported for this long is considered dead. */
const DEAD_MS = 5_000;
/** After Redis was unavailable, all nodes get this long to report. */
const PATIENCE_MS = 7_000;

/**
 * Records that this node is alive, and removes nodes that have not reported lately. If it removes any, no follower may
 * resume from an earlier event. Arguments: the node, `ERA_KEY` with its prefix, the age of dead nodes or empty.
 */
const NOTE = `
local time = redis.call('TIME')
local ms = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('ZADD', KEYS[1], ms, ARGV[1])
if ARGV[3] == '' then return 0 end
local dead = redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', ms - ARGV[3])
if dead > 0 then redis.call('SET', ARGV[2], string.format('%.0f', ms)) end
return dead
`;

/**
 * Detects nodes that crashed: such a node may have made a change without publishing it. One of the other nodes detects
 * it, on behalf of all.
 */
export function watchDeaths(redis: Redis, onDeath: () => void): { stop(): Promise<void> } {
  const note = redis.script('quireNote', NOTE);
  let heardSince = performance.now();
  redis.onReceiving(() => {
    heardSince = performance.now();
  });
  async function noteAndLook(): Promise<void> {
    const isPatient = !redis.isReceiving || performance.now() - heardSince < PATIENCE_MS;
    const deadMs = isPatient ? '' : String(DEAD_MS);
    const dead = await note('nodes', redis.node, redis.prefix + ERA_KEY, deadMs).catch(() => 0);
    if (Number(dead) > 0) onDeath();
  }
  void noteAndLook();
  const noting = setInterval(noteAndLook, NOTE_MS);
  return {
    async stop() {
      clearInterval(noting);
      await redis.run((client) => client.zrem(`${redis.prefix}nodes`, redis.node)).catch(() => undefined);
    },
  };
}
