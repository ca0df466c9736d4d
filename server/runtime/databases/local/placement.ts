import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DATABASE_HEADERS, DATABASE_PATHS } from '../../../../workers/protocol.ts';
import { randomSecret } from '../../../lib/secrets.ts';
import type { Runtime } from '../../workerd/index.ts';
import { databaseName, hostKey } from '../address.ts';
import { diskUse } from '../disk-use.ts';
import { databaseFile } from '../folder.ts';
import { startHostProcess } from '../host/process.ts';
import { Supervisor } from '../host/supervisor.ts';
import { LocalFiles } from '../local-files.ts';
import type { PackOrder, Report } from '../pages/tasks.ts';
import { DatabaseUnavailableError, type Placement, type Send } from '../placement.ts';
import type { DatabaseQuota } from '../quota.ts';
import { Replacements } from './replacements.ts';
import { sizeOfDatabase } from './size.ts';

const STATEMENT_MS = 30_000;
const IDLE_MS = 5 * 60_000;
/** How long the size of an owner's files is remembered. Every write of theirs asks for it, anywhere in the service. */
const SIZE_FRESH_MS = 1_000;
/** Databases and their logs may have twice the quota, and this much more. */
const LOG_SLACK_BYTES = 64 * 1024 * 1024;

interface Named {
  ownerId: number;
  databaseId: number;
}

interface LocalOptions {
  runtime: Runtime;
  /** Has a folder per owner. */
  folder: string;
  quota: Pick<DatabaseQuota, 'remaining'>;
  onLine(line: string): void;
}

/** Databases of one machine: files, and one host per owner while it is needed. */
export class LocalPlacement implements Placement {
  /** One machine has all files of an owner. */
  readonly countedBy = 'files';
  /** Writers do not wait for copies. */
  readonly copyEveryMs = 0;
  private readonly secret = randomSecret();
  private readonly byOwner = new Map<number, Supervisor>();
  /** The generations of databases that were restored since this server started, by owner and name. */
  private readonly generations = new Map<number, Map<string, number>>();
  private readonly onDisk = new Map<number, { bytes: number; at: number }>();

  private readonly replacements: Replacements;

  constructor(private readonly options: LocalOptions) {
    mkdirSync(options.folder, { recursive: true, mode: 0o700 });
    this.replacements = new Replacements(options.folder);
    this.replacements.finishAll();
  }

  findHost(ownerId: number): Supervisor {
    const host = this.byOwner.get(ownerId) ?? this.createHost(ownerId);
    this.byOwner.set(ownerId, host);
    return host;
  }

  hosts(): Supervisor[] {
    return [...this.byOwner.values()];
  }

  databaseBytes(ownerId: number): number {
    const host = this.byOwner.get(ownerId);
    return Math.max(host?.isUp ? (host.status.bytes ?? 0) : 0, this.bytesOnDisk(ownerId));
  }

  readSize(ownerId: number, databaseId: number): Promise<number> {
    return sizeOfDatabase(this.dataFolder(ownerId), databaseId);
  }

  copy({ ownerId, databaseId }: Named, send: Send, to: string): Promise<void> {
    return this.openFiles(ownerId).copy(databaseId, send, to);
  }

  readStamp(ownerId: number, databaseId: number): string | undefined {
    return this.openFiles(ownerId).readStamp(databaseId);
  }

  pack({ ownerId, databaseId }: Named, send: Send, order: PackOrder): Promise<Report> {
    return this.openFiles(ownerId).pack(databaseId, send, order);
  }

  async replace({ ownerId, databaseId }: Named, _send: Send, file: string | undefined): Promise<void> {
    const replacement = await this.replacements.prepare(ownerId, databaseId, file);
    try {
      await this.findHost(ownerId).whileStopped(() => replacement.finish());
    } finally {
      replacement.discard();
      this.onDisk.delete(ownerId);
    }
  }

  /** A host that starts later learns it from its configuration. Cells do not outlive the server. */
  noteGeneration({ ownerId, databaseId }: Named, generation: number): void {
    const known = this.generations.get(ownerId) ?? new Map<string, number>();
    this.generations.set(ownerId, known.set(databaseName(databaseId), generation));
  }

  async remove({ ownerId }: Named, send: Send): Promise<void> {
    const response = await send(DATABASE_PATHS.remove, { method: 'DELETE' });
    const { file } = (await response.json()) as { file: string };
    const base = databaseFile(this.dataFolder(ownerId), file);
    for (const suffix of ['', '-wal', '-shm']) rmSync(base + suffix, { force: true });
    this.onDisk.delete(ownerId);
    await this.byOwner.get(ownerId)?.refresh();
  }

  async forgetOwner(ownerId: number): Promise<void> {
    await this.byOwner.get(ownerId)?.stop();
    this.byOwner.delete(ownerId);
    this.generations.delete(ownerId);
    this.onDisk.delete(ownerId);
    rmSync(this.dataFolder(ownerId), { recursive: true, force: true });
  }

  /** A host of one owner is ended only for what its owner runs, so the error says so. */
  unavailable(cause?: unknown): DatabaseUnavailableError {
    const seconds = STATEMENT_MS / 1000;
    return new DatabaseUnavailableError(
      'The database was stopped: a statement may run for {seconds} seconds at most.',
      'UNAVAILABLE',
      { values: { seconds }, cause, retryAfterSeconds: 1 },
    );
  }

  lost(cause: unknown): DatabaseUnavailableError {
    return this.unavailable(cause);
  }

  async stop(): Promise<void> {
    await Promise.all(this.hosts().map((host) => host.stop()));
  }

  private dataFolder(ownerId: number): string {
    return join(this.options.folder, String(ownerId));
  }

  private openFiles(ownerId: number): LocalFiles {
    const { runtime } = this.options;
    const user = runtime.sandbox.users?.databaseHost(ownerId);
    const isHostUp = this.byOwner.get(ownerId)?.isUp ?? false;
    return new LocalFiles({ runtime, user, folder: this.dataFolder(ownerId), isHostUp });
  }

  private bytesOnDisk(ownerId: number): number {
    const known = this.onDisk.get(ownerId);
    if (known && Date.now() - known.at < SIZE_FRESH_MS) return known.bytes;
    const { bytes } = diskUse(this.dataFolder(ownerId));
    this.onDisk.set(ownerId, { bytes, at: Date.now() });
    return bytes;
  }

  private createHost(ownerId: number): Supervisor {
    const { runtime, quota, onLine } = this.options;
    const name = `databases-${ownerId}`;
    const user = runtime.sandbox.users?.databaseHost(ownerId);
    const key = hostKey(this.secret, `owner ${ownerId}`);
    const dataFolder = this.dataFolder(ownerId);
    const { replacements } = this;
    const readGenerations = () => this.generations.get(ownerId) ?? new Map<string, number>();
    let limitBytes = 0;
    return new Supervisor({
      name: `owner ${ownerId}`,
      folder: join(runtime.folder, name),
      key,
      group: user?.id,
      lifetime: { idleMs: IDLE_MS },
      statementMs: STATEMENT_MS,
      async start() {
        // One that failed in the middle has left neither the old database nor the new one.
        replacements.finishAll(ownerId);
        limitBytes = await quota.remaining(ownerId);
        const tempBytes = runtime.databaseTempBytes;
        const generations = readGenerations();
        const options = { runtime, name, user, dataFolder, key, limitBytes, tempBytes, generations, onLine };
        return (await startHostProcess(options)).process;
      },
      // A statement that is undone for its size has filled the log first. Doing so again and again must not fill the disk.
      isBloated: (isBusy) =>
        !isBusy && diskUse(dataFolder).withLogs > 2 * Math.max(0, limitBytes) + LOG_SLACK_BYTES,
      async statusHeaders() {
        // While the quota is unknown, the last limit applies.
        limitBytes = await quota.remaining(ownerId).catch(() => limitBytes);
        return { [DATABASE_HEADERS.limit]: String(limitBytes) };
      },
      onLine,
      warn: onLine,
    });
  }
}
