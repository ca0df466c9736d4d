/**
 * What the server and the workers agree on: header names, paths, error codes and the shape of what they send. It is the
 * only file of `workers/` that the server imports. It uses nothing that only one of the two runtimes has.
 */

/** Headers of requests to a database host. */
export const DATABASE_HEADERS = {
  /** The name of the database. A cell's configuration sets this, owner and key, not owner code. */
  database: 'x-quire-database',
  owner: 'x-quire-owner',
  key: 'x-quire-key',
  /** From the server: the bytes that all databases of this host may use together. */
  limit: 'x-quire-limit',
  /** On a response to the server: the bytes that all databases of this host use. */
  bytes: 'x-quire-bytes',
  /** How far a session of the D1 client has read. The client sends it in a session only, and expects a new one then. */
  session: 'x-cf-d1-session-commit-token',
  /** Names a write, so that a database can say whether it has begun it. */
  writeId: 'x-quire-write',
  /** On a write that is sent again after it got no response: how many milliseconds ago it was first sent. */
  resentAfter: 'x-quire-again',
  /** Names one attempt to send a request, so that its sender can ask whether the database is still busy with it. */
  attempt: 'x-quire-attempt',
  /** On the response to a ping: the database is busy with the attempt that the ping names. */
  busy: 'x-quire-busy',
  /** From a database that cannot rule out that it has already run this write. It has not run it now. */
  maybeRun: 'x-quire-maybe-run',
  /** From a host that is shutting down. It has not run what it was sent. */
  notRun: 'x-quire-not-run',
  /** Proves to a database that its own host asks it to write its handover notes. */
  handover: 'x-quire-handover',
} as const;

/** What a database host answers. Cells may use only what the D1 client uses; the rest is for the server. */
export const DATABASE_PATHS = {
  query: '/query',
  execute: '/execute',
  /** Opens a transaction: statements as lines of one request, results as lines of its response. */
  transaction: '/transaction',
  /** Runs a script in one transaction. */
  import: '/import',
  /** Applies the migrations that the database does not have yet, in one transaction. */
  migrate: '/migrate',
  /** The database as a script. */
  export: '/export',
  /** The database as JSON lines, one statement each, which no reader has to parse as SQL. */
  exportLines: '/export-lines',
  importLines: '/import-lines',
  /** Removes everything and imports JSON lines, the last of which is `LAST_LINE`: all of it, or nothing. */
  replaceLines: '/replace-lines',
  /** Locks the database for writers while it is copied, and unlocks it. */
  lock: '/lock',
  unlock: '/unlock',
  remove: '/database',
  /** Asks a host, not a database: whether it responds, and its `HostStatus`. */
  status: '/status',
  /** Asks a host for its status, after it has collected its garbage. */
  collect: '/collect',
  /** Asks a host to finish what is running and to begin nothing new; in a cluster, also to write handover notes. */
  drain: '/drain',
  /** Asks a database from inside its own host. */
  ping: '/ping',
  handover: '/handover',
} as const;

/** The last of the lines that replace a database: without it they are not complete. */
export const LAST_LINE = '-- end';

export const D1_PATHS: readonly string[] = [DATABASE_PATHS.query, DATABASE_PATHS.execute];
/** What cells may send. */
export const CELL_PATHS: readonly string[] = [...D1_PATHS, DATABASE_PATHS.transaction];

/**
 * The lines of a transaction. A statement is the path and query of the D1 client's request, a space, and its body. The
 * other lines are these words. Each line gets one line as its response: JSON with `success`.
 */
export const TRANSACTION_LINES = { begin: 'begin', commit: 'commit', rollback: 'rollback' } as const;

export const TRANSACTION_LIMITS = {
  totalMs: 5_000,
  /** How long a transaction may wait for its next statement. */
  idleMs: 1_000,
  /** How many transactions can be inside each other. */
  depth: 10,
  /** The length of one statement or batch with its values. */
  lineCharacters: 16 * 1024 * 1024,
  /** How many statements and transactions can wait for a transaction of their database, at each node. */
  waiting: 20,
} as const;

/** In place of a result: the transaction is over, and was undone. */
export interface TransactionEnd {
  success: false;
  error: string;
  ended: true;
}

export const TRANSACTION_TIMEOUT = `The transaction was undone, because it took more than ${TRANSACTION_LIMITS.totalMs / 1000} seconds, or waited more than ${TRANSACTION_LIMITS.idleMs / 1000} second for its next statement. Do everything else, such as fetch, before or after it. (TRANSACTION_TIMEOUT)`;

/** Why a database did not do what it was asked, where the statement is not to blame. */
export const DATABASE_ERROR_CODES = [
  'QUOTA_EXCEEDED',
  'UNAVAILABLE',
  'OUTCOME_UNKNOWN',
  'NOT_FOUND',
  /** A statement of this owner ended a shared host a short while ago. */
  'COOLDOWN',
] as const;
export type DatabaseErrorCode = (typeof DATABASE_ERROR_CODES)[number];

export interface DatabaseFailure {
  success: false;
  error: string;
  code?: DatabaseErrorCode | undefined;
  /** Where a migration failed. */
  place?: MigrationPlace | undefined;
}

/** A migration of a database: the name of its file, and its statements. */
export interface Migration {
  name: string;
  sql: string;
}

/** Where a migration failed. All numbers begin at 1. */
export interface MigrationPlace {
  name: string;
  /** Undefined if no statement is to blame. */
  statement?: number | undefined;
  line: number;
  column: number;
}

/** The bytes of requests that one owner may have pending at a host that many share. */
export const MAX_PENDING_BYTES = 64 * 1024 * 1024;

/** Where a database is locked, and by whom. */
export interface DatabaseLock {
  /** The name of the database's file, without the suffix. */
  file: string;
  token: string;
}

/** The status that a host reports. */
export interface HostStatus {
  /** The bytes that the databases use, from a host of one owner. */
  bytes?: number;
  /** When each database was last used, in milliseconds since 1970, from a host in a cluster. */
  lastUses?: Record<string, number>;
}

/** The database is relocating to another node. Nothing was run. */
export const RELOCATING =
  'The database is relocating to another node. Nothing was changed. Try again in a moment.';
/** The database's node was lost after the request was sent, so it is unknown whether the request ran. */
export const RELOCATING_OUTCOME_UNKNOWN =
  'The database is relocating to another node. It may or may not have done this: check before you try again.';

/** The database's host is about to end, and starts again at once. Nothing was run. */
export const RESTARTING = 'The database is restarting. Nothing was changed. Try again in a moment.';

/** Codes that the shim must learn of: a function that fails for these is not to blame. */
const SHIM_CODES = ['UNAVAILABLE', 'OUTCOME_UNKNOWN'] as const;

/** The D1 client passes on only the text of a failure. So the text ends with the code: `… (UNAVAILABLE)`. */
export function withCode(error: string, code: DatabaseErrorCode | undefined): string {
  return SHIM_CODES.some((known) => known === code) ? `${error} (${code})` : error;
}

/** The code that `withCode` put into a text, which owner code may have put into another. */
export function codeIn(text: string): (typeof SHIM_CODES)[number] | undefined {
  return SHIM_CODES.find((code) => text.includes(` (${code})`));
}

/** The text as it was before `withCode`. */
export function withoutCode(text: string): string {
  const code = SHIM_CODES.find((known) => text.endsWith(` (${known})`));
  return code === undefined ? text : text.slice(0, -` (${code})`.length);
}

/** The key that opens one database of a host to one cell. */
export async function cellKey(database: string, serverKey: string): Promise<string> {
  const encoder = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const secret = await crypto.subtle.importKey('raw', encoder.encode(serverKey), hmac, false, ['sign']);
  const mac = new Uint8Array(await crypto.subtle.sign('HMAC', secret, encoder.encode(database)));
  return Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** Where a host of a cluster asks the server of its node for more of an owner's quota. */
export const GRANT_PATH = '/grant';
export interface GrantRequest {
  owner: number;
  database: string;
  /** How large the database is to be. */
  bytes: number;
}
/** At least the bytes that were asked for, or why not. */
export type GrantResponse = { granted: number } | { refused: 'QUOTA_EXCEEDED' | 'NOT_FOUND' | 'UNAVAILABLE' };

/** What a host of a cluster prints before it runs a statement of another owner than before. */
export const RUNS_FOR_OWNER = 'quire-runs ';

/** Owners who must not run anything for a while, as a host's configuration has them: `owner=until` between spaces. */
export function formatCooldowns(cooldowns: Iterable<readonly [owner: number, untilMs: number]>): string {
  return [...cooldowns].map(([owner, until]) => `${owner}=${until}`).join(' ');
}

/** When the cooldown of an owner ends, in milliseconds since 1970; 0 where there is none. */
export function cooldownEnd(cooldowns: string, owner: string): number {
  const found = cooldowns.split(' ').find((entry) => entry.startsWith(`${owner}=`));
  return Number(found?.slice(owner.length + 1) ?? 0);
}

/** The sizes of databases on disk, as a host's configuration has them: `id=bytes` between spaces. */
export function formatSizes(sizes: Iterable<readonly [id: string, bytes: number]>): string {
  return [...sizes].map(([id, bytes]) => `${id}=${bytes}`).join(' ');
}

export function parseSizes(text: string): Map<string, number> {
  const entries = text.split(' ').filter(Boolean);
  return new Map(
    entries.map((entry): [string, number] => {
      const [id = '', bytes] = entry.split('=');
      return [id, Number(bytes)];
    }),
  );
}

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
