import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { WriteEvent } from './events.ts';
import { isUnknownSince, listChanged, listCreated } from './missed-store.ts';
import type { Step } from './replay.ts';

/**
 * How far before a position a replay begins. A write takes its time when its record is locked, and others see it once
 * it is committed: so a write can appear after one with a later time. In between are a few statements, which
 * PostgreSQL ends after seconds, like a transaction that does nothing. Followers know records by their ids, so one
 * that is reported twice changes nothing.
 */
const OVERLAP_MS = 60_000;
/** A follower that missed more reads the data again. */
const MAX_STEPS = 1_000;
/** A follower that was away for longer reads the data again: nobody needs the ids of all that was deleted. */
const MAX_AGE_MS = 24 * 3600 * 1000;
/** Clocks of nodes differ by less. A later position is not one of ours. */
const MAX_AHEAD_MS = 60_000;

/** The id of an event: where it is on the channel, and when it happened, for when the channel is forgotten. */
export const toEventId = (id: string, at: number) => `${id}@${at.toString(36)}`;

/** Reads the id that a follower returns with. */
export function readEventId(given: string | undefined): {
  after: string | undefined;
  at: number | undefined;
} {
  const [, after = given, time] = /^([^@]*)@([0-9a-z]{1,10})$/.exec(given ?? '') ?? [];
  return { after, at: time === undefined ? undefined : Number.parseInt(time, 36) };
}

/**
 * What a follower has missed since a time, from the record log: one step for each record, in the order of their last
 * changes. Undefined if that is not known, or too much.
 */
export async function findMissed(
  db: Db,
  followed: { pageId: number; storageType: StorageType; names: string[] },
  at: number,
  now: number,
): Promise<Step[] | undefined> {
  const from = at - OVERLAP_MS;
  if (at > now + MAX_AHEAD_MS || at < now - MAX_AGE_MS) return undefined;
  if (await isUnknownSince(db, followed, at)) return undefined;
  const changed = await listChanged(db, followed, from, MAX_STEPS + 1);
  const created = await listCreated(db, followed, from, MAX_STEPS + 1);
  if (changed.length + created.length > MAX_STEPS) return undefined;
  const steps = new Map<string, Step & { at: number }>();
  const about = { kind: 'write', storageType: followed.storageType } as const;
  for (const { id, created_by, created_at, collection } of created) {
    const body: WriteEvent['body'] = { type: 'deleted', collection, id };
    const write = { ...about, createdBy: created_by, at: created_at, body };
    steps.set(id, { id: '', at: created_at, write, isNew: created_at > at, isMaybeNew: true });
  }
  changed.sort((a, b) => a.id - b.id);
  for (const { record_id: id, at: time, action, created_by, created_at, collection } of changed) {
    const body: WriteEvent['body'] = { type: 'deleted', collection, id };
    const known = steps.get(id);
    // The first entry says what the follower knows: nothing, of a record that was brought back.
    const isNew = known?.isNew ?? (created_at > at || (action === 'restore' && time > at));
    const isMaybeNew = known?.isMaybeNew ?? (created_at >= from || action === 'restore');
    const write = { ...about, createdBy: created_by, at: time, body };
    steps.set(id, { id: '', at: Math.max(time, known?.at ?? 0), write, isNew, isMaybeNew });
  }
  return [...steps.values()].sort((a, b) => a.at - b.at);
}
