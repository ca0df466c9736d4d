import type { RecordResponse } from '../../../../contract/data/records.ts';
import type { LiveEvent } from '../../../platform/coordination/events/index.ts';
import type { AccessEvent, DataEvent, WriteEvent } from './events.ts';

/** Events that reach a follower late, so that their content may be outdated. */

interface EventsLost {
  kind: 'events lost';
  ruled?: undefined;
}

export const LOST: EventsLost = { kind: 'events lost' };

/** An event that reaches a follower, or the news that some were lost. */
export type FollowedEvent = LiveEvent<DataEvent | EventsLost>;

/** True for a write that the follower may get as it is: nothing suggests that access has changed. */
export function isCertain(event: FollowedEvent): event is LiveEvent<WriteEvent> {
  return event.message.kind === 'write' && !event.isUnsure;
}

/** One step for a follower: the current state of a record, or, without a write, that it must read the data again. */
export interface Step {
  id: string;
  /** The last write of the record. */
  write?: WriteEvent;
  /** True if the record was created meanwhile, so the follower does not know it. */
  isNew?: boolean;
  /** True if the follower may not know the record. */
  isMaybeNew?: boolean;
}

/** Reduces events to steps, in their order: one for each record, where its last event was. */
export function toSteps(
  events: FollowedEvent[],
  {
    isMeant,
    isReset,
  }: { isMeant(write: WriteEvent): boolean; isReset(event: AccessEvent | EventsLost): boolean },
): Step[] {
  const steps = new Map<string, Step>();
  for (const { id, message } of events) {
    if (message.kind !== 'write') {
      if (isReset(message)) steps.set(`reset ${steps.size} ${id}`, { id });
      continue;
    }
    if (!isMeant(message)) continue;
    const key = recordId(message.body);
    const isNew = steps.get(key)?.isNew ?? message.body.type === 'created';
    steps.delete(key);
    steps.set(key, { id, write: message, isNew });
  }
  return [...steps.values()];
}

/** The event to send about a record; undefined if the follower never knew that it existed. */
export function presentBody(
  { write, isNew, isMaybeNew }: Step,
  records: Map<string, RecordResponse>,
): WriteEvent['body'] | undefined {
  if (!write) return undefined;
  const { collection } = write.body;
  const id = recordId(write.body);
  const record = records.get(id);
  if (record) return { type: isNew || isMaybeNew ? 'created' : 'updated', collection, record };
  return isNew ? undefined : { type: 'deleted', collection, id };
}

export function recordId(body: WriteEvent['body']): string {
  return body.type === 'deleted' ? body.id : body.record.id;
}
