import type { ProviderName, ProviderStatus } from '../../../contract/admin/providers.ts';
import type { FolderSizes } from '../../platform/operations/index.ts';

/** What administrators learn about the service comes from these. */

/** What the report about storage is made of. */
export interface StorageSources {
  /** The bytes below each name in the data folder. */
  folder(): Promise<FolderSizes>;
  /** The size of a database that is not in the data folder; undefined if it is. */
  externalDatabaseBytes?: (() => Promise<number>) | undefined;
  /** The bucket that files and backups are in. */
  bucket: string | undefined;
}

/** A service that this one uses. */
export interface ProviderEntry extends Omit<ProviderStatus, 'name'> {
  /** Uses it for real, and says in a sentence what happened. Fails with what went wrong. */
  tryOut(options: { to: string | undefined; userId: number; signal: AbortSignal }): Promise<string>;
}

/** All providers. They are looked up each time, because a program can be installed in the meantime. */
export type ProviderTests = () => Record<ProviderName, ProviderEntry>;

/** Texts that were written for people. Others could contain a key. */
export class ProviderTestError extends Error {}
