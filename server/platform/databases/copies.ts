import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { NAMESPACE } from './folder.ts';

/** Copies of many databases, each as it is at one moment after the beginning, although owners go on deleting. */
export interface DatabaseCopies {
  /** Copies a database, unless that was done before it was deleted; says in which folder its files are. */
  take(ownerId: number, databaseId: number): Promise<string>;
  /** Removes a copy that has served. */
  discard(databaseId: number): Promise<void>;
  end(): Promise<void>;
}

/** Makes copies, one set at a time. */
export interface DatabaseCopier {
  begin(): DatabaseCopies;
  /** To be called before a database is removed: who is copying all of them may not have got to it yet. */
  beforeRemoval(ownerId: number, databaseId: number): Promise<void>;
}

export function createDatabaseCopier(options: {
  /** Where copies are made; what a killed server left there is removed by others. */
  folder: string;
  /** Copies a database, as it is at one moment, into a folder that is not there yet. */
  copy(ownerId: number, databaseId: number, to: string): Promise<void>;
  /** Called when a database has been copied, so that its host need not go on running for us. */
  afterCopy(ownerId: number): void;
}): DatabaseCopier {
  let take: DatabaseCopies['take'] | undefined;

  return {
    begin() {
      const folder = join(options.folder, `copies-${randomBytes(6).toString('hex')}`);
      const copies = new Map<number, Promise<string>>();

      async function copy(ownerId: number, databaseId: number): Promise<string> {
        const to = join(folder, String(databaseId));
        try {
          await options.copy(ownerId, databaseId, to);
        } finally {
          options.afterCopy(ownerId);
        }
        return join(to, NAMESPACE);
      }
      const takeOnce = (ownerId: number, databaseId: number) => {
        const copied = copies.get(databaseId) ?? copy(ownerId, databaseId);
        copies.set(databaseId, copied);
        return copied;
      };
      take = takeOnce;
      return {
        take: takeOnce,
        discard: (databaseId) => rm(join(folder, String(databaseId)), { recursive: true, force: true }),
        async end() {
          if (take === takeOnce) take = undefined;
          await Promise.allSettled(copies.values());
          await rm(folder, { recursive: true, force: true });
        },
      };
    },

    async beforeRemoval(ownerId, databaseId) {
      // When it fails, that is for whoever needs the copy to hear of; the owner's wish is done all the same.
      await take?.(ownerId, databaseId).catch(() => undefined);
    },
  };
}
