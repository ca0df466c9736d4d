import type { Text } from '../../../contract/rules/texts/fill.ts';
import { TextError } from '../../lib/errors.ts';
import type { Supervisor } from './host/supervisor.ts';
import type { PackOrder, Report } from './pages/tasks.ts';

/** Sends a request to one database. */
export type Send = (path: string, init?: RequestInit) => Promise<Response>;

/** One database, and the shards that it moves between. */
export interface ShardMove {
  ownerId: number;
  databaseId: number;
  from: number;
  to: number;
}

/** The shards of a cluster, at this node, while their number changes. */
export interface Shards {
  /** Starts hosts until the node has this many, and reads again where databases are. False if a host does not run yet. */
  open(count: number): Promise<boolean>;
  /** Moves a database to another shard. Its writers wait meanwhile. */
  move(move: ShardMove): Promise<void>;
  /** Removes what a database that has moved has left in a shard. */
  forget(database: { ownerId: number; databaseId: number }, shard: number): Promise<void>;
}

/** Where databases are: files of one machine, or shards of a cluster. Everything else is the same for both. */
export interface Placement {
  /** How the bytes of owners are counted: by the sizes of their files, or by what was granted to their databases. */
  readonly countedBy: 'files' | 'grants';
  /** How often databases are copied if nobody waits for it: writers may have to wait for a copy. */
  readonly copyEveryMs: number;
  /** Undefined for one machine. */
  readonly shards?: Shards;
  /** The host that has the databases of an owner, at this node. */
  findHost(ownerId: number): Supervisor;
  /** All hosts of this node. */
  hosts(): Supervisor[];
  /** The size of an owner's files. Zero if grants are counted, because the owner was charged for those. */
  databaseBytes(ownerId: number): number;
  /** The size of one database, without opening it. Zero if grants are counted. */
  readSize(ownerId: number, databaseId: number): Promise<number>;
  /** Copies a database as it is at one moment, into a folder that does not exist yet. */
  copy(database: { ownerId: number; databaseId: number }, send: Send, to: string): Promise<void>;
  /** Something that differs after a database was written; undefined if that cannot be seen from outside. */
  readStamp(ownerId: number, databaseId: number): string | undefined;
  /** Packs pages of a database into a segment, as they are at one moment. */
  pack(database: { ownerId: number; databaseId: number }, send: Send, order: PackOrder): Promise<Report>;
  /** Puts a file, or nothing, in place of a database. The file is moved. Afterwards it is the old one or the new one. */
  replace(
    database: { ownerId: number; databaseId: number },
    send: Send,
    file: string | undefined,
  ): Promise<void>;
  /** Called before a database is asked to refuse cells of earlier generations. */
  noteGeneration(database: { ownerId: number; databaseId: number }, generation: number): void;
  /** Removes the content of a database and its files. */
  remove(database: { ownerId: number; databaseId: number }, send: Send): Promise<void>;
  /** Removes what is left of an owner who no longer has databases. */
  forgetOwner(ownerId: number): Promise<void>;
  /** The error for a request that did not run because there is no host right now. */
  unavailable(cause?: unknown): DatabaseUnavailableError;
  /** The error for a request that was lost with its host. */
  lost(cause: unknown): DatabaseUnavailableError;
  stop(): Promise<void>;
}

/** Thrown when a database does not respond. */
export class DatabaseUnavailableError extends TextError {
  constructor(
    sentence: string,
    /** `OUTCOME_UNKNOWN` if the database may have done what it was asked. */
    readonly code: 'UNAVAILABLE' | 'OUTCOME_UNKNOWN',
    readonly options: { values?: Text['values']; cause?: unknown; retryAfterSeconds?: number } = {},
  ) {
    super(sentence, options.values, { cause: options.cause });
  }
}
