import type { RecordResponse, StorageType } from '../../../../contract/records.ts';
import type { Events } from '../../../platform/coordination/events/index.ts';
import type { InCollection } from '../place.ts';
import type { Change } from '../write.ts';

/** What is told on a page's channel: a write, or that who may read may have changed. */
export type DataEvent = WriteEvent | { kind: 'access changed' };

export interface WriteEvent {
  kind: 'write';
  storageType: StorageType;
  createdBy: number;
  body:
    | { type: 'created' | 'updated'; collection: string; record: RecordResponse }
    | { type: 'deleted'; collection: string; id: string };
  /** As it is sent; made by the first who is told, for all. */
  bytes?: Uint8Array;
}

/** About what remembering an event takes, without the record's data. */
const RECORD_EVENT_BYTES = 400;
const DELETED_EVENT_BYTES = 200;
const ACCESS_EVENT_BYTES = 100;

export const channelOf = (pageId: number) => `page ${pageId}`;

/** Tells those who follow the collection what a write did. */
export function announceChange(events: Events<DataEvent>, place: InCollection, change: Change): void {
  const { page, storageType, collection } = place;
  const createdBy = change.row.created_by;
  if (change.type === 'deleted') {
    const body = { type: change.type, collection, id: change.row.id };
    events.publish(channelOf(page.id), { kind: 'write', storageType, createdBy, body }, DELETED_EVENT_BYTES);
    return;
  }
  const body = { type: change.type, collection, record: change.record };
  const bytes = change.row.size + RECORD_EVENT_BYTES;
  events.publish(channelOf(page.id), { kind: 'write', storageType, createdBy, body }, bytes);
}

/** Tells everybody who follows the page that they may have to go. */
export function announceAccess(events: Events<DataEvent>, pageId: number): void {
  events.publish(channelOf(pageId), { kind: 'access changed' }, ACCESS_EVENT_BYTES);
}
