import { sql } from 'kysely';
import type { Call } from '../../../cli/command.ts';
import { CommandError, EXIT, UsageError } from '../../../cli/usage.ts';
import { readConfig } from '../../platform/config/index.ts';
import { type Db, startStorage } from '../../platform/storage/index.ts';
import { type Layout, readLayout } from '../../runtime/databases/index.ts';
import { assertDatabase } from '../archive/data-locations.ts';
import { ShardChangeRun } from './shard-change-run.ts';

/** The most hosts that a node can have. */
const MAX_SHARDS = 256;
/** An arbitrary number that no other advisory lock uses. */
const LOCK = 7_403_316_520;

/** `quire cluster reshard <shards>`: changes the number of shards while the nodes run. It can be ended and run again. */
export async function reshard(call: Call): Promise<void> {
  const to = readShards(call.args[0] ?? '');
  const config = readConfig(call.environment);
  const { cluster, dataFolder } = config;
  if (!cluster)
    throw new CommandError(
      'These are not the settings of a node of a cluster: QUIRE_CLUSTER_ADDRESS is not set. Run this command with the settings of a node, for example with --env-file.',
    );
  assertPorts(cluster, to);
  assertDatabase(config);
  const storage = await startStorage(config);
  try {
    const { db, engine, clock } = storage;
    await alone(db, async () => {
      const { s3 } = cluster;
      const run = new ShardChangeRun({ call, db, engine, dataFolder, now: clock.now, s3 });
      const before = await readLayout(s3);
      assertPossible(before, to);
      // What an earlier change has left.
      if (!before.isMoving && before.other !== undefined) await run.cleanUp(before.other, before.home);
      if (before.isMoving || before.home !== to) await run.change(before, to);
      await run.end(to);
    });
  } finally {
    await storage.stop();
  }
  const text = `The databases of this cluster are in ${to} shards. Set QUIRE_CLUSTER_SHARDS=${to} on every node now, and restart one node at a time.`;
  call.out.done({ shards: to }, text);
}

function readShards(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text) && Number(text) <= MAX_SHARDS) return Number(text);
  throw new UsageError(`The number of shards must be a whole number from 1 to ${MAX_SHARDS}.`);
}

const HIGHEST_PORT = 65_535;

function assertPorts({ address, hasTls }: { address: string; hasTls: boolean }, shards: number): void {
  const first = Number(address.split(':').at(-1)) + (hasTls ? 1 : 0);
  const last = first + shards - 1;
  if (last <= HIGHEST_PORT) return;
  throw new UsageError(
    `The last port of QUIRE_CLUSTER_ADDRESS would be ${last}, but the highest is ${HIGHEST_PORT}. Set it to a lower port, and restart the node first.`,
  );
}

function assertPossible(layout: Layout | undefined, to: number): asserts layout is Layout {
  if (!layout)
    throw new CommandError('No node of this cluster has started yet. Set QUIRE_CLUSTER_SHARDS instead.');
  if (layout.isMoving && layout.other !== to)
    throw new CommandError(
      `This cluster is changing from ${layout.home} to ${layout.other} shards. Finish that first: quire cluster reshard ${layout.other}`,
      EXIT.conflict,
    );
}

/** Works unless the command is already running, on any node. */
async function alone(db: Db, work: () => Promise<void>): Promise<void> {
  await db.connection().execute(async (holder) => {
    const tried = await sql<{ isFree: boolean }>`select pg_try_advisory_lock(${LOCK}) as "isFree"`.execute(
      holder,
    );
    if (!tried.rows[0]?.isFree)
      throw new CommandError('This command is already running, here or on another node.', EXIT.conflict);
    try {
      await work();
    } finally {
      await sql`select pg_advisory_unlock(${LOCK})`.execute(holder);
    }
  });
}
