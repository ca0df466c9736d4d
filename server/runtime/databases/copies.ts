import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NAMESPACE } from './folder.ts';

/** Copies a database as it is at one moment, into a folder that does not exist yet. */
type Copy = (ownerId: number, databaseId: number, to: string) => Promise<void>;

/** Makes copies of databases, one set at a time. */
export class DatabaseCopier {
  private current: DatabaseCopies | undefined;

  /** A server that was killed leaves copies in `folder`; the exports of the next one remove them. */
  constructor(private readonly options: { folder: string; copy: Copy }) {}

  begin(): DatabaseCopies {
    const { folder, copy } = this.options;
    const copies = new DatabaseCopies(join(folder, `copies-${randomBytes(6).toString('hex')}`), copy);
    this.current = copies;
    return copies;
  }

  /** Call this before a database is removed: the current set may not have copied it yet. */
  async beforeRemoval(ownerId: number, databaseId: number): Promise<void> {
    // If it fails, the caller that takes the copy sees the error. The database is still removed.
    await this.current?.takeUnlessEnded(ownerId, databaseId)?.catch(() => undefined);
  }
}

/** Copies of many databases, each at one moment after the start, even while owners delete databases. */
export class DatabaseCopies {
  private readonly taken = new Map<number, Promise<string>>();
  private hasEnded = false;

  constructor(
    private readonly folder: string,
    private readonly copy: Copy,
  ) {}

  /** Copies a database, unless that was done before it was removed. Returns the folder with its files. */
  take(ownerId: number, databaseId: number): Promise<string> {
    const taken = this.taken.get(databaseId) ?? this.copyOne(ownerId, databaseId);
    this.taken.set(databaseId, taken);
    return taken;
  }

  takeUnlessEnded(ownerId: number, databaseId: number): Promise<string> | undefined {
    return this.hasEnded ? undefined : this.take(ownerId, databaseId);
  }

  /** Removes a copy that is no longer needed. */
  discard(databaseId: number): Promise<void> {
    return rm(join(this.folder, String(databaseId)), { recursive: true, force: true });
  }

  async end(): Promise<void> {
    this.hasEnded = true;
    await Promise.allSettled(this.taken.values());
    await rm(this.folder, { recursive: true, force: true });
  }

  private async copyOne(ownerId: number, databaseId: number): Promise<string> {
    const to = join(this.folder, String(databaseId));
    await this.copy(ownerId, databaseId, to);
    return join(to, NAMESPACE);
  }
}
