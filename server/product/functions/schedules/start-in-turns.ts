import { AppError } from '../../../lib/errors.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { Turns } from './turns.ts';

/** How long to wait if another event should end the wait sooner. */
const LIMITED_MS = 1_000;

/** What one owner's function has to do. */
interface DueRow {
  owner_id: number;
}

/** How to find and start the work of functions that is due: runs on schedules, or messages. */
interface DueWork<Row extends DueRow> {
  turns: Turns;
  /** How often the functions of an owner may start in a time, on all nodes together. */
  limit: Limit;
  now: () => number;
  isStopped(): boolean;
  listDue(query: { now: number; exceptOwners: number[]; limit: number }): Promise<Row[]>;
  /** Claims the work and starts it. False if another node was faster, or the work is no longer due. */
  start(row: Row): Promise<boolean>;
  /** When there may be more to do, apart from the work of some owners. */
  findNext(exceptOwners: number[]): Promise<number>;
}

/** Starts what is due, if turns are free. Returns when to look again. */
export async function startInTurns<Row extends DueRow>(work: DueWork<Row>): Promise<number> {
  const { turns, now } = work;
  const due = await listFairly(work);
  for (const row of shuffle(due))
    if (!work.isStopped() && turns.serve(row.owner_id)) await startWithinLimit(work, row);
  if (due.length > 0 && turns.free === 0) {
    turns.makePlace();
    return now() + LIMITED_MS;
  }
  return Math.min(await work.findNext(turns.busyOwners()), now() + turns.heldMs);
}

/** Lists the work of owners who had no turn yet, if there is any: one owner with much work delays no one else. */
async function listFairly<Row extends DueRow>({ turns, now, listDue }: DueWork<Row>): Promise<Row[]> {
  const { free, served } = turns;
  const busy = turns.busyOwners();
  // Read more than are free: other nodes read the same, and each should find one that is not claimed.
  const list = (exceptOwners: number[]) => listDue({ now: now(), exceptOwners, limit: 4 * free + 1 });
  if (free === 0 || served.size === 0) return list(busy);
  const due = await list([...busy, ...served]);
  if (due.length > 0) return due;
  served.clear();
  return list(busy);
}

async function startWithinLimit<Row extends DueRow>(
  { turns, limit, start }: DueWork<Row>,
  row: Row,
): Promise<void> {
  const owner = String(row.owner_id);
  try {
    await limit.take(owner);
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    turns.hold(row.owner_id, Number(error.headers['retry-after'] ?? 1));
    return;
  }
  if (!(await start(row))) await limit.giveBack(owner);
}

/** In any order: other nodes read the same, and each should find something that is not claimed. */
function shuffle<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, rank: Math.random() }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}
