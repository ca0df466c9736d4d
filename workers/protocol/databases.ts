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
  /** The run of a live call that a statement is part of. */
  run: 'x-quire-run',
  /** The span of a traced call that a statement is part of. */
  traceparent: 'x-quire-traceparent',
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
  /** From the server, on statements that replace a database: the bytes that its owner was charged for. */
  granted: 'x-quire-granted',
  /** From a database that is in another shard, as `formatMoved` writes it. It has not run what it was sent. */
  moved: 'x-quire-moved',
  /** From one host of a node to another, for a database that has moved there: the key of the receiver. */
  forwarded: 'x-quire-forwarded',
  /** How often a request was forwarded. */
  hops: 'x-quire-hops',
} as const;

/** What a database host answers. Cells may use only `CELL_PATHS`; the rest is for the server. */
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
  /** Sends which tables are written, as lines of `LiveChanges`, until the server leaves. */
  watch: '/watch',
  /** The tables that a run of a live call has read. */
  takeReads: '/take-reads',
  /** What ran for a traced call. */
  takeTraced: '/take-traced',
  /** Refuses cells of earlier generations, and responds when nothing that they were allowed runs any longer. */
  fence: '/fence',
  remove: '/database',
  /** Asks a host, not a database: whether it responds, and its `HostStatus`. */
  status: '/status',
  /** Asks a host for its status, after it has collected its garbage. */
  collect: '/collect',
  /** Asks a host to finish what is running and to begin nothing new; in a cluster, also to write handover notes. */
  drain: '/drain',
  /** From the server, for a database that moves to another shard: see `moves/place.ts`. */
  moveOut: '/move/out',
  moveIn: '/move/in',
  moveCommit: '/move/commit',
  moveArrive: '/move/arrive',
  moveForget: '/move/forget',
  /** Asks a database from inside its own host. */
  ping: '/ping',
  handover: '/handover',
} as const;

/** The last of the lines that replace a database: without it they are not complete. */
export const LAST_LINE = '-- end';

/** What a move consists of. A host never forwards these. */
export const MOVE_PATHS: readonly string[] = [
  DATABASE_PATHS.moveOut,
  DATABASE_PATHS.moveIn,
  DATABASE_PATHS.moveCommit,
  DATABASE_PATHS.moveArrive,
  DATABASE_PATHS.moveForget,
];

/** The response to `moveOut`. The numbers of a database's moves only increase. */
export type MoveOut =
  | { moved: { shard: number; number: number } }
  | { token: string; number: number; generation: number };

/** What `moveIn` takes besides the statements, as JSON in the header `moved`. */
export interface MoveIn {
  from: number;
  number: number;
  generation: number;
}

/** Where a database has moved, and the number of that move; 0 if nobody has moved it. */
export interface MovedTo {
  shard: number;
  number: number;
}

export const formatMoved = ({ shard, number }: MovedTo) => `${shard}.${number}`;
export function parseMoved(text: string | null): MovedTo | undefined {
  const [, shard, number] = /^(\d+)\.(\d+)$/.exec(text ?? '') ?? [];
  return shard === undefined ? undefined : { shard: Number(shard), number: Number(number) };
}

/** The most hosts that a node can have: each can forward requests to all others. */
export const MAX_SHARDS = 256;
/** The binding of a host, in the others. */
export const shardBinding = (shard: number) => `SHARD_${shard}` as const;

/** Where a host of a cluster asks the server of its node for the shard that a new database belongs to. */
export const HOME_PATH = '/home';

export const D1_PATHS: readonly string[] = [DATABASE_PATHS.query, DATABASE_PATHS.execute];
/** What cells may use: the paths of the D1 client, and transactions. */
export const CELL_PATHS: readonly string[] = [...D1_PATHS, DATABASE_PATHS.transaction];

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

/** What a call is told whose cell was started before its database was restored. */
export const RESTORED =
  'The database was restored to an earlier moment after this call began. Nothing was run. Call the function again.';

/**
 * The key that opens one database of a host to the cells of one generation: after a restore, to none that was started
 * before.
 */
export async function cellKey(database: string, generation: number, serverKey: string): Promise<string> {
  const encoder = new TextEncoder();
  const hmac = { name: 'HMAC', hash: 'SHA-256' };
  const secret = await crypto.subtle.importKey('raw', encoder.encode(serverKey), hmac, false, ['sign']);
  const mac = new Uint8Array(
    await crypto.subtle.sign('HMAC', secret, encoder.encode(`${database} ${generation}`)),
  );
  const hex = Array.from(mac, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `${generation}.${hex}`;
}

/** The generation that a key of a cell is for; undefined if it is not one. */
export function readGeneration(key: string | null): number | undefined {
  const [, generation] = /^(\d+)\./.exec(key ?? '') ?? [];
  return generation === undefined ? undefined : Number(generation);
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
