import type { Rule } from '../../../../contract/data/collection-rules.ts';
import type { RecordResponse } from '../../../../contract/data/records.ts';
import type { StorageType } from '../../../../contract/rules/storage-modes.ts';
import type { Events } from '../../../platform/coordination/events/index.ts';
import type { InCollection } from '../access/data-target.ts';
import type { Change } from '../records/changes.ts';

/** An event on a page's channel: a write, or that access may have changed. */
export type DataEvent = WriteEvent | AccessEvent;

export interface AccessEvent {
  kind: 'access changed';
  /** The collection whose rules have changed, if that is the reason. */
  ruled?: string;
}

export interface WriteEvent {
  kind: 'write';
  storageType: StorageType;
  createdBy: number;
  /** When it was written. */
  at: number;
  /** The rule for reading at the time of the write, if there was one. A node may not have seen it yet. */
  read?: Rule | undefined;
  body:
    | { type: 'created' | 'updated'; collection: string; record: RecordResponse }
    | { type: 'deleted'; collection: string; id: string };
  /** The encoded event. It is encoded once for all followers. */
  bytes?: Uint8Array;
}

/** The approximate memory of an event without the record's data. */
const RECORD_EVENT_BYTES = 400;
const DELETED_EVENT_BYTES = 200;
const ACCESS_EVENT_BYTES = 100;

export const toChannel = (pageId: number) => `page ${pageId}`;

/** Publishes a write to followers of the collection. */
export function announceChange(events: Events<DataEvent>, target: InCollection, change: Change): void {
  const { page, storageType, collection } = target;
  const read = change.rules?.read;
  const about = {
    kind: 'write',
    storageType,
    createdBy: change.row.created_by,
    at: change.type === 'deleted' ? change.at : change.row.updated_at,
    ...(read && { read }),
  } as const;
  if (change.type === 'deleted') {
    const body = { type: change.type, collection, id: change.row.id };
    events.publish(toChannel(page.id), { ...about, body }, DELETED_EVENT_BYTES);
    return;
  }
  const body = { type: change.type, collection, record: change.record };
  const bytes = change.row.size + RECORD_EVENT_BYTES;
  events.publish(toChannel(page.id), { ...about, body }, bytes);
}

/** Publishes that access to the page may have changed, so that every follower is checked again. */
export function announceAccess(events: Events<DataEvent>, pageId: number, ruled?: string): void {
  events.publish(
    toChannel(pageId),
    { kind: 'access changed', ...(ruled !== undefined && { ruled }) },
    ACCESS_EVENT_BYTES,
  );
}
