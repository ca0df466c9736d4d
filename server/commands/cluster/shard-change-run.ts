import { randomUUID } from 'node:crypto';
import type { Call } from '../../../cli/command.ts';
import { CommandError, EXIT } from '../../../cli/usage.ts';
import type { S3Settings } from '../../platform/blobs/index.ts';
import { askForShards, findNodesBehind, forgetShardsAsked } from '../../platform/service-settings/index.ts';
import type { Storage } from '../../platform/storage/index.ts';
import { shardMoves } from '../../product/functions/index.ts';
import { type Layout, storeLayout } from '../../runtime/databases/index.ts';
import { askToForget, askToMove } from '../archive/control.ts';

interface RunOptions extends Pick<Storage, 'db' | 'engine'> {
  call: Call;
  /** The folder of the node that moves the databases. */
  dataFolder: string;
  now: () => number;
  s3: S3Settings;
}

/** Nodes look every two seconds what they are asked. A busy machine can take long to start hosts. */
const FOLLOW_MS = 60_000;
const LOOK_AGAIN_MS = 200;
const AT_ONCE = 4;
/** After this long without a success, there is no point in going on. A node that was killed is back before. */
const GIVE_UP_MS = 60_000;
const RETRY_MS = 1_000;

function toCommandError(row: { id: number; owner_id: number }, error: unknown): CommandError {
  return new CommandError(
    `Database ${row.id} of user ${row.owner_id} could not be moved: ${(error as Error).message}. It is where it was, and works. If no other database is left, it cannot be copied: look at its content, or delete it. Then run this again: it goes on.`,
  );
}

/** One run of the command that changes the number of shards. Every step can be repeated. */
export class ShardChangeRun {
  constructor(private readonly options: RunOptions) {}

  /** Moves all databases, and makes the new number the one that counts. */
  async change(before: Layout, to: number): Promise<void> {
    const { db, call, s3 } = this.options;
    const from = before.home;
    const most = Math.max(from, to);
    if (!before.isMoving) {
      call.out.note(`Waiting until every node has hosts for ${most} shards.`);
      await this.ask(most, 'No database has moved.');
      await shardMoves.forgetMoves(db);
      await storeLayout(s3, { home: from, other: to, isMoving: true });
    }
    // A node of an earlier version that has started in between would not find databases that moved.
    await this.ask(most, 'It goes on.');
    const change = { from, to };
    do await this.moveAll(change);
    while (
      !(await shardMoves.whenAllMoved(db, change, () =>
        storeLayout(s3, { home: to, other: from, isMoving: false }),
      ))
    );
    await this.ask(most, 'All databases have moved.');
    await this.cleanUp(from, to);
  }

  /** Removes what databases have left where they were. */
  async cleanUp(from: number, to: number): Promise<void> {
    const { db, call, dataFolder } = this.options;
    call.out.note(`Removing what databases have left in the ${from} shards of before.`);
    await this.forAll(
      () => shardMoves.listMoved(db),
      async ({ id, owner_id }) => {
        const shard = owner_id % from;
        if (shard !== owner_id % to)
          await askToForget(dataFolder, { ownerId: owner_id, databaseId: id, shard });
        await shardMoves.noteMoved(db, id, null);
      },
    );
  }

  async end(to: number): Promise<void> {
    const { db, s3 } = this.options;
    await storeLayout(s3, { home: to, isMoving: false });
    await this.ask(to, 'All databases have moved.');
    await forgetShardsAsked(db);
  }

  private async moveAll(change: shardMoves.ShardChange): Promise<void> {
    const { db, call, dataFolder } = this.options;
    const { from, to } = change;
    const total = await shardMoves.countUnmoved(db, change);
    call.out.note(`Moving ${total} databases from ${from} to ${to} shards.`);
    const progress = call.out.progress('Moving databases', total);
    let moved = 0;
    try {
      await this.forAll(
        () => shardMoves.listUnmoved(db, change),
        async ({ id, owner_id }) => {
          const database = { ownerId: owner_id, databaseId: id };
          await askToMove(dataFolder, { ...database, from: owner_id % from, to: owner_id % to });
          await shardMoves.noteMoved(db, id, to);
          progress.at(++moved, `${moved} of ${total}`);
        },
      );
    } finally {
      progress.end();
    }
  }

  /** Does something for all rows, some at a time, until there are none left. */
  private async forAll<Row extends { id: number; owner_id: number }>(
    list: () => Promise<Row[]>,
    work: (row: Row) => Promise<void>,
  ): Promise<void> {
    let lastSuccess = performance.now();
    for (let rows = await list(); rows.length > 0; rows = await list()) {
      let failure: { row: Row; error: unknown } | undefined;
      const next = rows.values();
      const workers = Array.from({ length: AT_ONCE }, async () => {
        for (const row of next) {
          try {
            await work(row);
            lastSuccess = performance.now();
          } catch (error) {
            // The server of this node has ended.
            if (error instanceof CommandError) throw error;
            failure = { row, error };
          }
        }
      });
      await Promise.all(workers);
      if (failure && performance.now() - lastSuccess > GIVE_UP_MS)
        throw toCommandError(failure.row, failure.error);
      if (failure) await Bun.sleep(RETRY_MS);
    }
  }

  /** Waits until all running nodes have hosts for the shards and know where databases are. */
  private async ask(count: number, otherwise: string): Promise<void> {
    const { db, now } = this.options;
    const id = randomUUID();
    await askForShards(db, id, count, now());
    const deadline = performance.now() + FOLLOW_MS;
    for (;;) {
      const behind = await findNodesBehind(this.options, id);
      if (behind.length === 0) return;
      if (performance.now() > deadline)
        throw new CommandError(
          `These nodes do not have ${count} shards yet: ${behind.join(', ')}. ${otherwise} Each needs this version of Quire, and the ports for all shards. Look at their logs, and run this again.`,
          EXIT.conflict,
        );
      await Bun.sleep(LOOK_AGAIN_MS);
    }
  }
}
