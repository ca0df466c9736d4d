import {
  formatScheduled,
  LIVE_RUN_HEADER,
  QUEUE_HEADER,
  ROUND_HEADER,
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
  /** How many deliveries of changes led to the call. */
  round?: number | undefined;
}

/** The headers that tell the shim what to do; undefined if it has nothing to do. */
export function toMarks({
  trace,
  liveRun,
  scheduled,
  isQueue,
  round = 0,
}: CallMarks): Record<string, string> | undefined {
  // Almost all calls have none.
  if (trace === undefined && liveRun === undefined && !scheduled && !isQueue && round === 0) return undefined;
  return {
    ...(trace !== undefined && { [TRACE_HEADER]: trace }),
    ...(liveRun !== undefined && { [LIVE_RUN_HEADER]: liveRun }),
    ...(scheduled && { [SCHEDULED_HEADER]: formatScheduled(scheduled.moment, scheduled.cron) }),
    ...(isQueue && { [QUEUE_HEADER]: '1' }),
    ...(round > 0 && { [ROUND_HEADER]: String(round) }),
  };
}
