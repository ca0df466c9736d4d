import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { cellKey, DATABASE_HEADERS, DATABASE_PATHS, type TracedRequest } from '../../../workers/protocol.ts';
import type { Runtime } from '../workerd/index.ts';
import { type DatabaseAddress, databaseName, parseDatabaseId } from './address.ts';
import { DatabaseCopier, type DatabaseCopies } from './copies.ts';
import { DatabaseExports } from './exports.ts';
import { NAMESPACE } from './folder.ts';
import { runTask } from './pages/box.ts';
import type { PackOrder, Report, Task } from './pages/tasks.ts';
import type { Placement, Send, Shards } from './placement.ts';
import type { DatabaseQuota, QuotaSource } from './quota.ts';
import { TracedRequests } from './traced-requests.ts';
import { DatabaseWatch, type WatchListener } from './watch.ts';

/** How long to wait for a host that is starting. */
const WAIT_MS = 10_000;
const RETRY_MS = 100;

const TableNames = z.array(z.string());
interface DatabaseStatus {
  /** Hosts that should run, those that do, and how often one was restarted. */
  wanted: number;
  running: number;
  restarts: number;
  /** In a cluster: when each database was last used here. */
  lastUses: Record<number, number>;
}

interface DatabasesOptions {
  runtime: Runtime;
  folder: string;
  /** Throws if databases must not be kept on this machine. */
  assertKeepsDatabases?: (() => Promise<void>) | undefined;
  onLine(line: string): void;
}

/** The databases of functions, wherever they are. */
export class Databases {
  private readonly exports: DatabaseExports;
  private readonly copier: DatabaseCopier;

  constructor(
    private readonly placement: Placement,
    private readonly quota: QuotaSource,
    private readonly options: DatabasesOptions,
  ) {
    const { runtime, onLine } = options;
    const folder = join(options.folder, 'exports');
    const copy = (ownerId: number, databaseId: number, to: string) => this.copy(ownerId, databaseId, to);
    this.exports = new DatabaseExports({ runtime, folder, onLine, copy });
    this.copier = new DatabaseCopier({
      folder,
      copy: (ownerId, databaseId, to) =>
        placement.findHost(ownerId).borrow(() => this.copy(ownerId, databaseId, to)),
    });
  }

  /** Where databases, and what belongs to them, are on this machine. */
  get folder(): string {
    return this.options.folder;
  }

  /** Starts processes that read copies of databases. */
  get runtime(): Runtime {
    return this.options.runtime;
  }

  /** How the bytes of owners are counted. */
  get countedBy(): Placement['countedBy'] {
    return this.placement.countedBy;
  }

  /** How often databases are copied if nobody waits for it. */
  get copyEveryMs(): number {
    return this.placement.copyEveryMs;
  }

  /** Sets the quota. No host gets a byte before this. */
  useQuota(quota: DatabaseQuota): void {
    this.quota.set(quota);
  }

  /** The size of an owner's files. Zero if grants are counted, because the owner was charged for those. */
  databaseBytes(ownerId: number): number {
    return this.placement.databaseBytes(ownerId);
  }

  /** The size of one database, without opening it. Zero if grants are counted. */
  readSize(ownerId: number, databaseId: number): Promise<number> {
    return this.placement.readSize(ownerId, databaseId);
  }

  /** The address of a database, for a cell of a generation. Its host is kept until it is released. */
  async open(ownerId: number, databaseId: number, generation = 0): Promise<DatabaseAddress> {
    await this.options.assertKeepsDatabases?.();
    const host = this.placement.findHost(ownerId);
    const release = await host.lease();
    const name = databaseName(databaseId);
    const key = await cellKey(name, generation, host.key);
    return { folder: host.folder, name, owner: String(ownerId), group: host.group, key, release };
  }

  /**
   * Sends a request to a database, also one that cells cannot send. A request that was never sent is tried again while
   * its host starts; one that was lost with its host is not.
   */
  async fetch(ownerId: number, databaseId: number, path: string, init?: RequestInit): Promise<Response> {
    const host = this.placement.findHost(ownerId);
    const deadline = Date.now() + WAIT_MS;
    for (;;) {
      const isUp = await host.whenUp(deadline - Date.now()).catch((error: unknown) => {
        throw this.placement.unavailable(error);
      });
      if (!isUp) throw this.placement.unavailable();
      try {
        const response = await host.fetch(ownerId, databaseId, path, init);
        if (!isNotRun(response, init) || Date.now() > deadline) return response;
        await response.body?.cancel();
        await Bun.sleep(RETRY_MS);
      } catch (error) {
        if (!isNeverSent(error)) throw this.placement.lost(error);
        if (Date.now() > deadline) throw this.placement.unavailable(error);
        await Bun.sleep(RETRY_MS);
      }
    }
  }

  /** Says which tables of a database are written, whoever does it, until the function that it returns is called. */
  watch(ownerId: number, databaseId: number, listener: WatchListener): () => void {
    const watch = new DatabaseWatch(listener, {
      lease: () => this.placement.findHost(ownerId).lease(),
      send: this.senderTo(ownerId, databaseId),
    });
    return () => watch.stop();
  }

  /** The tables that a run of a live call has read, while the database was watched. */
  async takeReads(ownerId: number, databaseId: number, run: string): Promise<string[]> {
    const response = await this.fetch(ownerId, databaseId, DATABASE_PATHS.takeReads, {
      body: JSON.stringify({ run }),
    });
    if (!response.ok) throw this.placement.unavailable(await response.text());
    return TableNames.parse(await response.json());
  }

  /** What a database has run for a traced call. */
  async takeTraced(
    ownerId: number,
    databaseId: number,
    traceparent: string,
    signal: AbortSignal,
  ): Promise<TracedRequest[]> {
    const response = await this.fetch(ownerId, databaseId, DATABASE_PATHS.takeTraced, {
      body: JSON.stringify({ traceparent }),
      signal,
    });
    // During an upgrade, the database can be at a node that does not know this question.
    return response.ok ? TracedRequests.parse(await response.json()) : [];
  }

  /** The database as a SQL script, as it is at one moment. */
  export(ownerId: number, databaseId: number): Promise<ReadableStream<Uint8Array>> {
    return this.exports.start(ownerId, databaseId);
  }

  /** Begins to copy databases, for a backup. */
  beginCopies(): DatabaseCopies {
    return this.copier.begin();
  }

  /** A copy of a database as SQLite files in a folder, as it is at one moment. Call `end` when they have been read. */
  async copyOut(ownerId: number, databaseId: number): Promise<{ folder: string; end(): Promise<void> }> {
    // A server that is killed leaves the copy here; the exports of the next one remove it.
    const to = join(this.options.folder, 'exports', `copy-${randomBytes(6).toString('hex')}`);
    const end = () => rm(to, { recursive: true, force: true });
    try {
      await this.placement.findHost(ownerId).borrow(() => this.copy(ownerId, databaseId, to));
    } catch (error) {
      await end();
      throw error;
    }
    return { folder: join(to, NAMESPACE), end };
  }

  /** Something that differs after a database was written; undefined if that cannot be seen from outside. */
  readStamp(ownerId: number, databaseId: number): string | undefined {
    return this.placement.readStamp(ownerId, databaseId);
  }

  /** Packs pages of a database into a segment, as they are at one moment. */
  pack(ownerId: number, databaseId: number, order: PackOrder): Promise<Report> {
    const send = this.senderTo(ownerId, databaseId);
    return this.placement
      .findHost(ownerId)
      .borrow(() => this.placement.pack({ ownerId, databaseId }, send, order));
  }

  /** Makes the file of a database from segments, which are read from `input`. */
  async rebuild(
    task: Omit<Extract<Task, { kind: 'rebuild' }>, 'kind'>,
    input: AsyncIterable<Uint8Array>,
    output: string,
  ): Promise<void> {
    const { runtime } = this.options;
    const maxBytes = task.pageBytes * task.pageCount;
    const user = runtime.sandbox.users?.next();
    const isUrgent = true;
    await runTask({ runtime, user, task: { kind: 'rebuild', ...task }, input, output, maxBytes, isUrgent });
  }

  /**
   * Refuses cells that opened a database in an earlier generation, at whichever node, and waits for what they were allowed
   * before. Fails if a statement does not end.
   */
  async fence(ownerId: number, databaseId: number, generation: number): Promise<void> {
    this.placement.noteGeneration({ ownerId, databaseId }, generation);
    const body = JSON.stringify({ generation });
    await this.placement.findHost(ownerId).borrow(async () => {
      const response = await this.fetch(ownerId, databaseId, DATABASE_PATHS.fence, { body });
      if (!response.ok) throw this.placement.unavailable(await response.text());
    });
  }

  /** Puts a file, or nothing, in place of a database. The file is moved. */
  async replace(ownerId: number, databaseId: number, file: string | undefined): Promise<void> {
    await this.options.assertKeepsDatabases?.();
    await this.placement.replace({ ownerId, databaseId }, this.senderTo(ownerId, databaseId), file);
  }

  /** Removes a database. */
  async remove(ownerId: number, databaseId: number): Promise<void> {
    await this.copier.beforeRemoval(ownerId, databaseId);
    await this.placement.remove({ ownerId, databaseId }, this.senderTo(ownerId, databaseId));
  }

  /** The shards of this node; undefined for one machine. */
  get shards(): Shards | undefined {
    return this.placement.shards;
  }

  /** Throws if databases are not on this machine, though another node has them. */
  async assertHere(): Promise<void> {
    await this.options.assertKeepsDatabases?.();
  }

  /** Removes what is left of an owner who no longer has databases. */
  forgetOwner(ownerId: number): Promise<void> {
    return this.placement.forgetOwner(ownerId);
  }

  /** True if the host of an owner's databases is not running at this node, though it should. */
  isUnavailable(ownerId: number): boolean {
    const host = this.placement.findHost(ownerId);
    return host.isWanted && !host.isUp;
  }

  status(): DatabaseStatus {
    const hosts = this.placement.hosts();
    return {
      wanted: hosts.filter(({ isWanted }) => isWanted).length,
      running: hosts.filter(({ isUp }) => isUp).length,
      restarts: hosts.reduce((sum, { restarts }) => sum + restarts, 0),
      lastUses: Object.fromEntries(
        hosts.flatMap(({ status }) =>
          Object.entries(status.lastUses ?? {}).map(([name, at]) => [parseDatabaseId(name), at]),
        ),
      ),
    };
  }

  async stop(): Promise<void> {
    await this.exports.stop();
    await this.placement.stop();
  }

  private copy(ownerId: number, databaseId: number, to: string): Promise<void> {
    return this.placement.copy({ ownerId, databaseId }, this.senderTo(ownerId, databaseId), to);
  }

  private senderTo(ownerId: number, databaseId: number): Send {
    return (path, init) => this.fetch(ownerId, databaseId, path, init);
  }
}

/** True if the host was about to end, and the request can be sent again. */
const isNotRun = ({ headers }: Response, init: RequestInit | undefined) =>
  headers.has(DATABASE_HEADERS.notRun) && !(init?.body instanceof ReadableStream);

/** True if the host was not listening. */
function isNeverSent(error: unknown): boolean {
  const { code } = error as { code?: unknown };
  return code === 'ENOENT' || code === 'ECONNREFUSED' || code === 'FailedToOpenSocket';
}
