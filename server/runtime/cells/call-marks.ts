import {
  formatScheduled,
  LIVE_RUN_HEADER,
  QUEUE_HEADER,
  SCHEDULED_HEADER,
  TRACE_HEADER,
} from '../../../workers/protocol.ts';

/** What the shim does with a call, if not the usual. */
export interface CallMarks {
  /** Marks the lines that the call prints. */
  trace?: string | undefined;
  /** The run of a live call. */
  liveRun?: string | undefined;
  /** Runs the module's `scheduled` instead of its `fetch`. */
  scheduled?: { moment: number; cron: string } | undefined;
  /** Runs the module's `queue`; the body has the messages. */
  isQueue?: boolean | undefined;
}

/** The headers that tell the shim what to do; undefined if it has nothing to do. */
export function toMarks({
  trace,
  liveRun,
  scheduled,
  isQueue,
}: CallMarks): Record<string, string> | undefined {
  // Almost all calls have none.
  if (trace === undefined && liveRun === undefined && !scheduled && !isQueue) return undefined;
  return {
    ...(trace !== undefined && { [TRACE_HEADER]: trace }),
    ...(liveRun !== undefined && { [LIVE_RUN_HEADER]: liveRun }),
    ...(scheduled && { [SCHEDULED_HEADER]: formatScheduled(scheduled.moment, scheduled.cron) }),
    ...(isQueue && { [QUEUE_HEADER]: '1' }),
  };
}
