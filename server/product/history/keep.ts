import type { Db, PageRow, Tx } from '../../platform/storage/index.ts';
import type { FunctionState } from '../moment-ports.ts';
import type { MomentCause } from '../ports.ts';
import type { HistoryContext } from './context.ts';
import { isRestoring } from './pauses.ts';
import { findLastRestore } from './restore-store.ts';
import { type ApplicationState, type DatabaseState, listDatabases, parseState, readState } from './state.ts';
import { findLastTime, findMoment, insertMoment } from './store.ts';
import { storeText } from './words.ts';

const HOUR_MS = 3600 * 1000;
/** Whoever restores a moment is told about a copy of a database that is older than the moment by more than this. */
const OLD_COPY_MS = 60_000;

interface NewMoment {
  name?: string;
  cause?: MomentCause;
  /** Keeps nothing if nothing has changed since the last moment. */
  ifChanged?: boolean;
  /** Copies databases only if that is due: nothing is about to change them. */
  takesEarlierCopies?: boolean;
  /** Called if a database was not copied, because it is copied only now and then: when that is done again. */
  onEarlierCopy?(copiedAgainAt: number): void;
  /** Fails if a database cannot be copied. Otherwise the moment does not have it. */
  mustHaveDatabases?: boolean;
  /** The restore that keeps the moment. While another one runs, no moment is kept. */
  restore?: number;
  /** Refuses the moment in its transaction. */
  admit?(tx: Tx): Promise<void>;
}

/**
 * Keeps the state of an application. Returns its time; undefined if the page is gone. Fails while the page is restored:
 * the moment would have parts of two states.
 */
export async function keepMoment(
  context: HistoryContext,
  pageId: number,
  moment: NewMoment = {},
): Promise<number | undefined> {
  const { db, directory } = context;
  const { functions } = context.parts();
  const page = await directory.find(db, String(pageId));
  if (!page) return undefined;
  const lastRestore = await findSettledRestore(db, pageId, moment.restore);
  // Before the transaction, because a copy can take long.
  const taken = await takeSnapshots(context, page.owner_id, await functions.read(db, page), {
    ...{ ...moment, notBefore: lastRestore?.finished_at ?? undefined },
  });
  const { databases } = taken;
  if (moment.ifChanged && !(await hasChanged(context, page, databases))) return undefined;
  let grown = taken.bytes;
  const at = await db.transaction().execute(async (tx) => {
    const locked = await directory.lock(tx, pageId);
    if (!locked) return undefined;
    // One that has begun and ended meanwhile has replaced the databases that were copied.
    if ((await findSettledRestore(tx, pageId, moment.restore))?.id !== lastRestore?.id) throw isRestoring();
    await moment.admit?.(tx);
    const next = await nextTime(context, tx, pageId);
    const state: ApplicationState = { ...(await readState(context.parts(), tx, locked)), databases };
    const text = JSON.stringify(state);
    const { cause } = moment;
    await insertMoment(
      tx,
      {
        page_id: pageId,
        at: next,
        name: moment.name ?? null,
        cause_kind: cause?.kind ?? null,
        cause_by: cause?.by ?? null,
        cause_text: cause ? storeText(cause.text) : '',
        state: text,
        size: Buffer.byteLength(text),
      },
      databases.map(({ snapshot }) => snapshot),
    );
    grown += Buffer.byteLength(text);
    return next;
  });
  context.noteGrowth(page.owner_id, grown);
  return at;
}

/** The last restore of a page. Fails while one runs, unless it is this one. */
async function findSettledRestore(db: Db, pageId: number, own: number | undefined) {
  const last = await findLastRestore(db, pageId);
  if (last?.finished_at === null && last.id !== own) throw isRestoring();
  return last;
}

/** Whether something of an application differs from its last moment. */
async function hasChanged(
  context: HistoryContext,
  page: PageRow,
  databases: DatabaseState[],
): Promise<boolean> {
  const { db, times } = context;
  const last = await findMoment(db, page.id, Number.MAX_SAFE_INTEGER);
  if (!last) return true;
  const state: ApplicationState = { ...(await readState(context.parts(), db, page)), databases };
  if (toText(parseState(last)) !== toText(state)) return true;
  const span = { from: last.at, to: times.read(page.id) + 1, everyMs: HOUR_MS };
  return (await context.parts().records.summarize(page.id, span)).length > 0;
}

/** A state without what differs though nothing has changed. */
const toText = ({ databases, ...state }: ApplicationState) =>
  JSON.stringify({ ...state, databases: databases.map(({ asOf: _, ...database }) => database) });

/** A time after everything that is stored, and not after what will be, also if the clock was set back. */
async function nextTime({ parts, times }: HistoryContext, tx: Tx, pageId: number): Promise<number> {
  const stored = Math.max(await findLastTime(tx, pageId), await parts().records.latest(tx, pageId));
  const at = Math.max(times.read(pageId), stored + 1);
  times.note(pageId, at);
  return at;
}

async function takeSnapshots(
  { parts, log, now }: HistoryContext,
  ownerId: number,
  functions: readonly FunctionState[],
  { notBefore, ...moment }: NewMoment & { notBefore: number | undefined },
): Promise<{ databases: DatabaseState[]; bytes: number }> {
  const taken: DatabaseState[] = [];
  let added = 0;
  const { snapshots } = parts();
  for (const [database, users] of listDatabases(functions)) {
    try {
      const isUrgent = moment.takesEarlierCopies !== true;
      const taking = { isUrgent, ...(notBefore !== undefined && { notBefore }) };
      const { id, bytes, asOf, copiedAgainAt } = await snapshots.take(ownerId, database, taking);
      if (copiedAgainAt !== undefined) moment.onEarlierCopy?.(copiedAgainAt);
      added += bytes;
      const isOld = asOf !== undefined && asOf < now() - OLD_COPY_MS;
      taken.push({ functions: users, database, snapshot: id, ...(isOld && { asOf }) });
    } catch (error) {
      if (moment.mustHaveDatabases) throw error;
      log.warn({ err: error, database }, 'a database could not be copied for a moment');
    }
  }
  return { databases: taken, bytes: added };
}
