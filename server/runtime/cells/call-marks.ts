import {
  formatScheduled,
  QUEUE_HEADER,
  RUN_HEADER,
  SCHEDULED_HEADER,
  TRACE_HEADER,
  TRACEPARENT_HEADER,
} from '../../../workers/protocol.ts';

/** What the shim does with a call, if not the usual. */
export interface CallMarks {
  /** Marks the lines that the call prints. */
  trace?: string | undefined;
  /** The run that the call is part of. */
  run?: string | undefined;
  /** The span that the call is, if it is traced. */
  traceparent?: string | undefined;
  /** Runs the module's `scheduled` instead of its `fetch`. */
  scheduled?: { moment: number; cron: string } | undefined;
  /** Runs the module's `queue`; the body has the messages. */
  isQueue?: boolean | undefined;
}

/** The headers that tell the shim what to do; undefined if it has nothing to do. */
export function toMarks(marks: CallMarks): Record<string, string> | undefined {
  const { trace, run, traceparent, scheduled, isQueue } = marks;
  // Almost all calls have none.
  if (trace === undefined && run === undefined && traceparent === undefined && !scheduled && !isQueue)
    return undefined;
  return {
    ...(trace !== undefined && { [TRACE_HEADER]: trace }),
    ...(run !== undefined && { [RUN_HEADER]: run }),
    ...(traceparent !== undefined && { [TRACEPARENT_HEADER]: traceparent }),
    ...(scheduled && { [SCHEDULED_HEADER]: formatScheduled(scheduled.moment, scheduled.cron) }),
    ...(isQueue && { [QUEUE_HEADER]: '1' }),
  };
}
