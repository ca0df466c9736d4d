import {
  DATABASE_HEADERS,
  DATABASE_PATHS,
  formatMoved,
  type MoveIn,
  type MoveOut,
} from '../../../../workers/protocol.ts';
import type { ShardMove } from '../placement.ts';
import { withLastLine } from './copy.ts';

type SendTo = (
  shard: number,
  database: { ownerId: number; databaseId: number },
  path: string,
  init?: RequestInit,
) => Promise<Response>;

const TRIES = 3;
const RETRY_MS = 500;
/** The answer of a database that was removed. */
const GONE = 410;

class RemovedError extends Error {}

/**
 * Moves databases to other shards. The databases themselves decide what is allowed (`workers/database/moves/place.ts`), so a
 * move that ends in the middle, or that two processes try, leaves each database in one place.
 */
export class ShardMover {
  constructor(private readonly send: SendTo) {}

  /** Moves a database, unless it has moved already. Its writers wait meanwhile. */
  async move(move: ShardMove): Promise<void> {
    for (let tries = 1; ; tries++) {
      try {
        return await this.moveOnce(move);
      } catch (error) {
        // What was copied of it meanwhile is of no use.
        if (error instanceof RemovedError) return this.forget(move, move.to, true);
        if (tries === TRIES) throw error;
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  /** Removes what a database has left in a shard. */
  async forget(
    database: { ownerId: number; databaseId: number },
    shard: number,
    isRemoved: boolean,
  ): Promise<void> {
    const body = JSON.stringify({ isRemoved });
    await required(this.send(shard, database, DATABASE_PATHS.moveForget, { body }));
  }

  private async moveOnce(move: ShardMove): Promise<void> {
    const { from, to } = move;
    const out = (await (await required(this.send(from, move, DATABASE_PATHS.moveOut))).json()) as MoveOut;
    if ('moved' in out && out.moved.shard !== to)
      throw new Error(`the database has moved to shard ${out.moved.shard}, not ${to}`);
    if ('token' in out) await this.copy(move, out);
    const { number } = 'moved' in out ? out.moved : out;
    const headers = { [DATABASE_HEADERS.moved]: formatMoved({ shard: to, number }) };
    await required(this.send(to, move, DATABASE_PATHS.moveArrive, { headers }));
  }

  private async copy(move: ShardMove, out: Extract<MoveOut, { token: string }>): Promise<void> {
    const { from, to } = move;
    const { token, number, generation } = out;
    try {
      const lines = (await required(this.send(from, move, DATABASE_PATHS.exportLines))).body;
      if (!lines) throw new Error('the database host answered without statements');
      const headers = {
        [DATABASE_HEADERS.moved]: JSON.stringify({ from, number, generation } satisfies MoveIn),
      };
      const body = withLastLine(lines);
      await required(this.send(to, move, DATABASE_PATHS.moveIn, { body, headers }));
      const commit = JSON.stringify({ token, shard: to, number });
      await required(this.send(from, move, DATABASE_PATHS.moveCommit, { body: commit }));
    } catch (error) {
      const body = JSON.stringify({ token });
      await this.send(from, move, DATABASE_PATHS.unlock, { body }).catch(() => undefined);
      throw error;
    }
  }
}

async function required(sent: Promise<Response>): Promise<Response> {
  const response = await sent;
  if (response.ok) return response;
  if (response.status === GONE) throw new RemovedError();
  const { error } = (await response.json().catch(() => ({}))) as { error?: string };
  throw new Error(error ?? `the database host answered with ${response.status}`);
}
