/** On requests of a cell's services: proves which cell asks. Its configuration injects it, out of reach of owner code. */
export const SERVICE_KEY_HEADER = 'x-quire-key';
/** The module behind the services in `env`, in a cell. */
export const SERVICES_MODULE = 'quire-internal:services';
/** The module behind the database in `env`, in a cell. */
export const DATABASE_MODULE = 'quire-internal:database';
/** The names of services in `env`, with the export of the module that makes each. It is also the path at the server. */
export const SERVICE_BINDINGS = {
  LIVE: 'live',
  MAIL: 'mail',
  DATA: 'data',
  FORMS: 'forms',
  TEAM: 'team',
  FUNCTIONS: 'functions',
  AI: 'ai',
  QUEUE: 'queue',
} as const;
export type ServiceName = (typeof SERVICE_BINDINGS)[keyof typeof SERVICE_BINDINGS];
/** Characters that a function can send to a service at once, as JSON. A character can take three bytes. */
export const MAX_SERVICE_CHARACTERS: Record<ServiceName, number> = {
  live: 32 * 1024,
  mail: 512 * 1024,
  data: 2 * 1024 * 1024,
  forms: 8 * 1024,
  team: 1024,
  functions: 2 * 1024 * 1024,
  ai: 2 * 1024 * 1024,
  queue: 1024 * 1024,
};
/** Requests to services that can be in progress at once, for all functions of one owner. */
export const MAX_SERVICES_AT_ONCE = 50;
/** What all functions of one owner can publish at a node. */
export const LIVE_PUBLICATIONS = { perSecond: 50, atOnce: 100 } as const;

/**
 * On a call by a visitor of the page that the function belongs to: a signed text that only this function can use, to act
 * with the visitor's rights.
 */
export const VISIT_HEADER = 'x-quire-visit';

/** Where the server asks the shim of a cell whether the event loop is free, and to collect garbage. */
export const PROBE_PATHS = { status: '/', collect: '/collect' } as const;
export interface ProbeStatus {
  hasDefault: boolean;
  hasFetch: boolean;
  hasScheduled: boolean;
  hasQueue: boolean;
}

/** On a request that the server sends to the probe: runs `scheduled` for this moment and cron text. */
export const SCHEDULED_HEADER = 'x-quire-scheduled';
export const formatScheduled = (moment: number, cron: string) => `${moment}:${cron}`;
export function parseScheduled(text: string): { scheduledTime: number; cron: string } {
  const end = text.indexOf(':');
  return { scheduledTime: Number(text.slice(0, end)), cron: text.slice(end + 1) };
}

/** On a request that the server sends to the probe: runs `queue` for the messages in the body, which is a `QueueBatch`. */
export const QUEUE_HEADER = 'x-quire-queue';
export interface QueueBatch {
  /** The slug of the function. */
  queue: string;
  messages: Array<{ id: string; timestamp: number; attempts: number; body: unknown }>;
}
/** What became of the messages of a batch. */
export interface QueueResult {
  acked: string[];
  retried: Array<{ id: string; delaySeconds?: number | undefined }>;
  /** What `queue` threw. */
  error: string | null;
}
/** The messages of one call of `env.QUEUE.sendBatch`, and how long one of them can wait. */
export const MAX_BATCH_SENT = 100;
export const MAX_DELAY_SECONDS = 7 * 24 * 3600;

/** On the shim's own response, when owner code ended without one: why. */
export const EXCEPTION_HEADER = 'x-quire-threw';
export type ExceptionKind = 'exception' | 'out-of-memory' | 'database-unavailable' | 'outcome-unknown';
/** What the shim prints before the stack of an exception. */
export const EXCEPTION_LINE = 'quire-exception: ';

/** On a call that the server sends to the probe: the id of a trace. Its lines can be told from those of other calls. */
export const TRACE_HEADER = 'x-quire-trace';
/** What a line of a traced call begins with: this, the id and a space. */
const TRACE_LINE = 'quire-trace:';
/** The last line of a traced call, apart from what it prints while it sends its body. */
const TRACE_END = 'quire-trace-end';
export const traceMark = (id: string) => `${TRACE_LINE}${id} `;
export const traceEnd = (id: string) => traceMark(id) + TRACE_END;

/** Splits the mark off a line. */
export function readTraceMark(message: string): { trace: string; rest: string; isEnd: boolean } | undefined {
  if (!message.startsWith(TRACE_LINE)) return undefined;
  const end = message.indexOf(' ');
  if (end < 0) return undefined;
  const rest = message.slice(end + 1);
  return { trace: message.slice(TRACE_LINE.length, end), rest, isEnd: rest === TRACE_END };
}

export const EGRESS_HEADERS = {
  /** The key of the cell that sends a request. Its configuration injects it, and it goes no further than the guard. */
  cell: 'x-quire-cell',
  /** On a response of the egress itself: the request was never sent to its destination. */
  neverSent: 'x-quire-unreached',
} as const;

/** What the egress prints, as one JSON object a line. */
export type EgressEvent =
  /** A request of a cell failed; workerd's own reason comes in another line, with the same reference. */
  | { event: 'request-failed'; cell: string | null; to: string; error: string }
  /** A connection on a lane was refused, because it was over a limit. */
  | { event: 'connection-refused'; lane: number; over: 'owner' | 'total'; limit: number };
