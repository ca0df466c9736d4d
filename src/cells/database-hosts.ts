import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { randomSecret } from '../lib/secrets.ts';
import { databaseHostConfig } from './config-text.ts';
import { SERVE, startWorkerd, type WorkerdProcess } from './process.ts';
import type { Runtime } from './runtime.ts';
import { attached } from './sandbox.ts';
import { openSocket } from './socket.ts';

/** Where a function's database answers. */
export interface DatabaseAddress {
  /** The folder with the host's socket, `http`. */
  folder: string;
  /** The database's name at its host. */
  name: string;
  /** Shown with every request; cells have it injected, out of reach of owner code. */
  key: string;
  /** To be called when the cell that uses it has ended. */
  release(): void;
}

/** Processes of ours that hold owners' databases: one per owner while it is needed. */
export interface DatabaseHosts {
  /** Makes sure that the owner's host runs, and says where it answers. */
  open(ownerId: number, databaseId: number): Promise<DatabaseAddress>;
  /** Sends a request to a database as a cell would. */
  fetch(ownerId: number, databaseId: number, path: string, init: RequestInit): Promise<Response>;
  /** Removes a database's content and file. */
  remove(ownerId: number, databaseId: number): Promise<void>;
  stop(): Promise<void>;
}

interface Host {
  process: WorkerdProcess;
  lastUsedAt: number;
  asking: number | undefined;
}

const WATCH_EVERY_MS = 1_000;
/** Between tries to start a host that does not start. */
const RESTART_MS = 1_000;

export function startDatabaseHosts(options: {
  runtime: Runtime;
  /** Below it, a folder per owner. */
  folder: string;
  worker: string;
  /** A statement that takes longer ends its host; SQLite recovers. */
  statementMs: number;
  idleMs: number;
  onLine(line: string): void;
}): DatabaseHosts {
  const { runtime, folder, statementMs } = options;
  const key = randomSecret();
  const hosts = new Map<number, Promise<Host>>();
  /** How many cells are connected to an owner's host. */
  const leases = new Map<number, number>();
  let isStopping = false;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  runtime.writeFile(join(runtime.folder, 'database-host.js'), options.worker);

  const socketFolder = (ownerId: number) => join(runtime.folder, `databases-${ownerId}`);

  async function start(ownerId: number): Promise<Host> {
    const dataFolder = join(folder, String(ownerId));
    mkdirSync(dataFolder, { recursive: true, mode: 0o700 });
    runtime.makeFolder(`databases-${ownerId}`);
    const socket = join(socketFolder(ownerId), 'http');
    const configFile = join(runtime.folder, `databases-${ownerId}.capnp`);
    // A config may hold only plain characters, and the operator's folder may have others: it is passed by argument.
    runtime.writeFile(configFile, databaseHostConfig({ socket, dataFolder: '/replaced', key }));
    const process = await openSocket(socket, () =>
      startWorkerd({
        command: attached([runtime.binary, ...SERVE, `--directory-path=disk=${dataFolder}`, configFile]),
        sockets: 1,
        hasInfoFd: false,
        deadlineMs: 10_000,
        onLine: options.onLine,
      }),
    );
    return { process, lastUsedAt: Date.now(), asking: undefined };
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
      if (leases.has(ownerId) && !isStopping) ensure(ownerId).catch(() => undefined);
    };
    started.then(
      async (host) => {
        await host.process.exited;
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

  const name = (databaseId: number) => `database-${databaseId}`;

  async function send(
    ownerId: number,
    databaseId: number,
    path: string,
    init: RequestInit,
  ): Promise<Response> {
    const host = await ensure(ownerId);
    host.lastUsedAt = Date.now();
    return fetch(`http://database${path}`, {
      ...init,
      headers: { 'x-quire-database': name(databaseId), 'x-quire-key': key },
      unix: join(socketFolder(ownerId), 'http'),
    } as RequestInit);
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
    host.asking = Date.now();
    const done = () => {
      host.asking = undefined;
    };
    fetch('http://database/alive', {
      unix: join(socketFolder(ownerId), 'http'),
      headers: { 'x-quire-key': key },
      signal: AbortSignal.timeout(statementMs * 2),
    } as RequestInit).then(done, done);
  }

  return {
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
      return { folder: socketFolder(ownerId), name: name(databaseId), key, release };
    },
    fetch: send,
    async remove(ownerId, databaseId) {
      const response = await send(ownerId, databaseId, '/database', { method: 'DELETE' });
      const { file } = (await response.json()) as { file: string };
      const base = join(folder, String(ownerId), 'quire-database', `${file}.sqlite`);
      for (const suffix of ['', '-wal', '-shm']) rmSync(base + suffix, { force: true });
    },
    async stop() {
      isStopping = true;
      clearInterval(watching);
      const running = await Promise.allSettled(hosts.values());
      for (const host of running) {
        if (host.status !== 'fulfilled') continue;
        host.value.process.kill();
        await host.value.process.exited;
      }
    },
  };
}
