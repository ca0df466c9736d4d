import { DATABASE_HEADERS, DATABASE_PATHS, type MoveIn, type MoveOut } from '../../protocol.ts';
import type { SqlDatabase } from '../database.ts';
import { failure } from '../failures.ts';
import type { Fence } from '../fence.ts';
import { Moved, type Place } from './place.ts';

/** The steps of a move, as the server asks for them. `place.ts` says what they mean. */

interface Movable {
  place: Place;
  database: SqlDatabase;
  fence: Fence;
  /** Stores the generation that the fence admits. */
  storeGeneration(generation: number): Promise<void>;
  /** Writes without limit until the content has arrived: its owner has paid for it. */
  withoutQuota<T>(work: () => Promise<T>): Promise<T>;
  /** Removes everything in the storage. */
  empty(): Promise<void>;
}

/** Carries out a step; undefined for all other requests. */
export async function takeStep(
  pathname: string,
  request: Request,
  movable: Movable,
): Promise<Response | undefined> {
  switch (pathname) {
    case DATABASE_PATHS.moveOut:
      return moveOut(movable, request);
    case DATABASE_PATHS.moveIn:
      return moveIn(movable, request);
    case DATABASE_PATHS.moveCommit:
      return moveCommit(movable, await request.json());
    case DATABASE_PATHS.moveArrive:
      return moveArrive(movable, request);
    case DATABASE_PATHS.moveForget:
      return moveForget(movable, await request.json());
    default:
      return undefined;
  }
}

const refused = () => failure(409, 'The database is not where this move expects it.');

async function moveOut({ place, database, fence }: Movable, { headers }: Request): Promise<Response> {
  try {
    // A request that is very late must not make an empty place the right one.
    await place.admit(headers);
    const token = await database.lock.lockIf(() => place.assertNotMoved());
    const number = await place.leaving();
    database.forgetCounters();
    return Response.json({ token, number, generation: fence.generation } satisfies MoveOut);
  } catch (error) {
    if (error instanceof Moved) return Response.json({ moved: error.to } satisfies MoveOut);
    throw error;
  }
}

async function moveIn(movable: Movable, request: Request): Promise<Response> {
  const { place, database, fence } = movable;
  const move = JSON.parse(request.headers.get(DATABASE_HEADERS.moved) ?? '') as MoveIn;
  if (!(await place.arriving(move))) return refused();
  fence.raise(move.generation);
  if (move.generation > 0) await movable.storeGeneration(move.generation);
  database.forgetCounters();
  return movable.withoutQuota(() => database.takeOver(request.body, () => place.isArriving(move.number)));
}

/** Only while the lock has been kept since `moveOut`, so nothing was written that was not copied. */
async function moveCommit({ place, database }: Movable, body: unknown): Promise<Response> {
  const { token, shard, number } = body as { token: string; shard: number; number: number };
  if (!place.isLeaving(number) || !database.lock.isKept(token)) return refused();
  await place.left({ shard, number });
  database.endWatches();
  database.lock.unlock(token);
  return new Response();
}

async function moveArrive({ place, database }: Movable, { headers }: Request): Promise<Response> {
  await place.admit(headers);
  database.forgetCounters();
  return new Response();
}

async function moveForget({ place, empty }: Movable, body: unknown): Promise<Response> {
  const { isRemoved } = body as { isRemoved: boolean };
  if (place.canForget(isRemoved)) await empty();
  return new Response();
}
