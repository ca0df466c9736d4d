import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { cellKey } from '../../../../workers/protocol.ts';
import { randomSecret } from '../../../lib/secrets.ts';
import type { Runtime, WorkerdProcess } from '../../workerd/index.ts';
import { askDatabase, databaseName } from '../ask.ts';
import { createDatabaseCopier, type DatabaseCopier } from '../copies.ts';
import { copyDatabase } from '../copy.ts';
import { createDatabaseExports, type DatabaseExports } from '../exports.ts';
import { databaseFile } from '../folder.ts';
import type { GrantRoom } from '../grants.ts';
import { hostKey } from '../host-keys.ts';
import { diskUse, startDatabaseHost } from './host.ts';

/** Where a function's database answers. */
export interface DatabaseAddress {
  /** The folder with the host's socket, `http`. */
  folder: string;
  /** The database's name at its host. */
  name: string;
  /** Whose it is, which a host of many owners has to know. */
  owner: string;
  /** The group that may connect to the host, when the server is root. */
  group: number | undefined;
  /** Shown with every request; cells have it injected, out of reach of owner code. It opens this database alone. */
  key: string;
  /** To be called when the cell that uses it has ended. */
  release(): void;
}

/** Processes of ours that hold owners' databases: one per owner while it is needed. */
export interface DatabaseHosts {
  /** Whether databases may be at other nodes. */
  readonly isCluster: boolean;
  /** Makes sure that the owner's host runs, and says where it answers. */
  open(ownerId: number, databaseId: number): Promise<DatabaseAddress>;
  /** Sends a request to a database, which may be one that cells cannot send. */
  fetch(ownerId: number, databaseId: number, path: string, init: RequestInit): Promise<Response>;
  /** The database as a script of SQL, as it is at one moment. */
  export: DatabaseExports['start'];
  /** Begins copying databases, for a backup. */
  beginCopies: DatabaseCopier['begin'];
  /** What an owner's databases take up. */
  bytesOf(ownerId: number): number;
  /** Says who knows how much an owner's databases may take up. No host starts before it is said. */
  limitBy(limitOf: (ownerId: number) => Promise<number>): void;
  /** Says who grants a database more bytes, in a cluster: there, nobody else sees all databases of an owner. */
  grantBy(grant: GrantRoom): void;
  /** Removes a database's content and file. */
  remove(ownerId: number, databaseId: number): Promise<void>;
  /** How it is with the hosts of this node. */
  status(): DatabaseStatus;
  /** True when the host that the owner's cells on this node ask is not there right now. */
  isAway(ownerId: number): boolean;
  stop(): Promise<void>;
}

/** Hosts that should run, those that do, how often one came back; in a cluster, when each database was used here last. */
type DatabaseStatus = Record<'wanted' | 'running' | 'restarts', number> & {
  lastUses: Record<number, number>;
};

interface Host {
  process: WorkerdProcess;
  lastUsedAt: number;
  /** Since when it has not answered. */
  asking: number | undefined;
  isLookedAt: boolean;
  limitBytes: number;
  /** What its databases take up, as it told last. */
  bytes: number;
}

const WATCH_EVERY_MS = 1_000;
/** Between tries to start a host that does not start. */
const RESTART_MS = 1_000;
/** Beyond twice what is allowed, for databases and their logs, this much is let pass. */
const LOG_SLACK_BYTES = 64 * 1024 * 1024;

export function startDatabaseHosts(options: {
  runtime: Runtime;
  /** Below it, a folder per owner. */
  folder: string;
  /** A statement that takes longer ends its host; SQLite recovers. */
  statementMs: number;
  idleMs: number;
  onLine(line: string): void;
}): DatabaseHosts {
  const { runtime, folder, statementMs } = options;
  const master = randomSecret();
  const hosts = new Map<number, Promise<Host>>();
  /** How many cells are connected to an owner's host. */
  const leases = new Map<number, number>();
  let isStopping = false;
  let limitOf = async (_ownerId: number): Promise<number> => {
    throw new Error('nobody has said what databases may take up');
  };
  const alive = new Map<number, Host>();
  let restarts = 0;
  /** Owners whose hosts were started only because their databases are being copied. */
  const woken = new Set<number>();
  /** What owners' files took up a moment ago: asked with every write of theirs, anywhere in the service. */
  const onDisk = new Map<number, { bytes: number; at: number }>();
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  /** The server's key to an owner's host: one that a host leaks opens nobody else's. */
  const keyOf = (ownerId: number) => hostKey(master, `owner ${ownerId}`);

  const userOf = (ownerId: number) => runtime.sandbox.users?.databaseHost(ownerId);

  const socketFolder = (ownerId: number) => join(runtime.folder, `databases-${ownerId}`);

  const socketOf = (ownerId: number) => join(socketFolder(ownerId), 'http');

  const dataFolder = (ownerId: number) => join(folder, String(ownerId));

  async function start(ownerId: number): Promise<Host> {
    const limitBytes = await limitOf(ownerId);
    const { process } = await startDatabaseHost({
      runtime,
      name: `databases-${ownerId}`,
      user: userOf(ownerId),
      dataFolder: dataFolder(ownerId),
      key: keyOf(ownerId),
      limitBytes,
      tempBytes: runtime.databaseTempBytes,
      onLine: options.onLine,
    });
    const { bytes } = diskUse(dataFolder(ownerId));
    return { process, lastUsedAt: Date.now(), asking: undefined, isLookedAt: false, limitBytes, bytes };
  }

  function ensure(ownerId: number): Promise<Host> {
    const running = hosts.get(ownerId);
    if (running) return running;
    const started = start(ownerId);
    hosts.set(ownerId, started);
    const forget = () => {
      if (hosts.get(ownerId) === started) hosts.delete(ownerId);
    };
    // Cells find their host by its socket, so it comes back by itself while there are any.
    const comeBack = () => {
      if (!leases.has(ownerId) || isStopping) return;
      restarts++;
      ensure(ownerId).catch(() => undefined);
    };
    started.then(
      async (host) => {
        alive.set(ownerId, host);
        await host.process.exited;
        if (alive.get(ownerId) === host) alive.delete(ownerId);
        woken.delete(ownerId);
        forget();
        comeBack();
      },
      (error: unknown) => {
        forget();
        options.onLine(`the database host of owner ${ownerId} could not be started: ${error}`);
        setTimeout(comeBack, RESTART_MS);
      },
    );
    return started;
  }

  async function send(
    ownerId: number,
    databaseId: number,
    path: string,
    init?: RequestInit,
  ): Promise<Response> {
    const host = await ensure(ownerId);
    host.lastUsedAt = Date.now();
    const address = { socket: socketOf(ownerId), key: keyOf(ownerId) };
    const response = await askDatabase(address, databaseId, path, init);
    host.bytes = Number(response.headers.get('x-quire-bytes') ?? host.bytes);
    return response;
  }

  /** A host whose event loop does not answer is running one long statement. */
  const watching = setInterval(() => {
    for (const [ownerId, starting] of hosts) {
      void starting.then((host) => watch(ownerId, host)).catch(() => undefined);
    }
  }, WATCH_EVERY_MS);

  function watch(ownerId: number, host: Host): void {
    if (leases.has(ownerId)) host.lastUsedAt = Date.now();
    if (Date.now() - host.lastUsedAt > options.idleMs) {
      host.process.kill();
      return;
    }
    if (host.asking !== undefined) {
      if (Date.now() - host.asking > statementMs) host.process.kill();
      return;
    }
    if (host.isLookedAt) return;
    host.isLookedAt = true;
    void lookAt(ownerId, host)
      .catch(() => undefined)
      .finally(() => {
        host.isLookedAt = false;
      });
  }

  /** Tells a host how much room there is now, and hears how much is taken. */
  async function lookAt(ownerId: number, host: Host): Promise<void> {
    // Where nobody can say right now, what was said last holds.
    host.limitBytes = await limitOf(ownerId).catch(() => host.limitBytes);
    const { limitBytes } = host;
    // A statement that is undone for its size has filled the log before; one that does so for long must not fill the disk.
    if (diskUse(dataFolder(ownerId)).withLogs > 2 * Math.max(0, limitBytes) + LOG_SLACK_BYTES)
      host.process.kill();
    host.asking = Date.now();
    try {
      const response = await fetch('http://database/status', {
        unix: socketOf(ownerId),
        headers: { 'x-quire-key': keyOf(ownerId), 'x-quire-limit': String(limitBytes) },
        signal: AbortSignal.timeout(statementMs * 2),
      } as RequestInit);
      host.bytes = ((await response.json()) as { bytes: number }).bytes;
    } finally {
      host.asking = undefined;
    }
  }

  function copy(ownerId: number, databaseId: number, to: string): Promise<void> {
    const ask = (path: string, init?: RequestInit) => send(ownerId, databaseId, path, init);
    return copyDatabase(ask, dataFolder(ownerId), to);
  }

  const exports = createDatabaseExports({
    runtime,
    folder: join(folder, 'exports'),
    onLine: options.onLine,
    copy,
  });

  const copier = createDatabaseCopier({
    folder: join(folder, 'exports'),
    async copy(ownerId, databaseId, to) {
      if (!hosts.has(ownerId)) woken.add(ownerId);
      await copy(ownerId, databaseId, to);
    },
    // It is let go at the next look, unless somebody uses it by then: there may be a host for every owner.
    afterCopy(ownerId) {
      const host = alive.get(ownerId);
      if (woken.has(ownerId) && host) host.lastUsedAt = 0;
    },
  });

  return {
    isCluster: false,
    async open(ownerId, databaseId) {
      leases.set(ownerId, (leases.get(ownerId) ?? 0) + 1);
      let isReleased = false;
      const release = () => {
        if (isReleased) return;
        isReleased = true;
        const left = (leases.get(ownerId) ?? 1) - 1;
        if (left > 0) leases.set(ownerId, left);
        else leases.delete(ownerId);
      };
      try {
        const host = await ensure(ownerId);
        host.lastUsedAt = Date.now();
      } catch (error) {
        release();
        throw error;
      }
      const cell = {
        name: databaseName(databaseId),
        owner: String(ownerId),
        group: userOf(ownerId)?.id,
        key: await cellKey(databaseName(databaseId), keyOf(ownerId)),
      };
      return { folder: socketFolder(ownerId), ...cell, release };
    },
    fetch: send,
    export: exports.start,
    beginCopies: copier.begin,
    bytesOf(ownerId) {
      const seen = onDisk.get(ownerId);
      const isFresh = seen !== undefined && Date.now() - seen.at < WATCH_EVERY_MS;
      const bytes = isFresh ? seen.bytes : diskUse(dataFolder(ownerId)).bytes;
      if (!isFresh) onDisk.set(ownerId, { bytes, at: Date.now() });
      return Math.max(alive.get(ownerId)?.bytes ?? 0, bytes);
    },
    limitBy(next) {
      limitOf = next;
    },
    async remove(ownerId, databaseId) {
      await copier.beforeRemoval(ownerId, databaseId);
      const response = await send(ownerId, databaseId, '/database', { method: 'DELETE' });
      const { file } = (await response.json()) as { file: string };
      const base = databaseFile(dataFolder(ownerId), file);
      for (const suffix of ['', '-wal', '-shm']) rmSync(base + suffix, { force: true });
      onDisk.delete(ownerId);
      const host = alive.get(ownerId);
      if (host) await lookAt(ownerId, host).catch(() => undefined);
    },
    grantBy: () => undefined,
    status: () => ({ wanted: hosts.size, running: alive.size, restarts, lastUses: {} }),
    isAway: () => false,
    async stop() {
      isStopping = true;
      clearInterval(watching);
      await exports.stop();
      const ended = await Promise.allSettled(hosts.values());
      for (const host of ended) {
        if (host.status !== 'fulfilled') continue;
        host.value.process.kill();
        await host.value.process.exited;
      }
    },
  };
}
