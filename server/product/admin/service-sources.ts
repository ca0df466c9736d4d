import type { ProviderName, ProviderStatus } from '../../../contract/admin/providers.ts';
import type { ProviderFailure } from '../../../contract/rules/provider-kinds.ts';
import type { FolderSizes } from '../../platform/operations/index.ts';
import type { OpenConnection } from '../../platform/service-settings/index.ts';

/** The sources of the reports about the service. */

/** The sources of the storage report. */
export interface StorageSources {
  /** The bytes below each name in the data folder. */
  folder(): Promise<FolderSizes>;
  /** The size of a database that is not in the data folder; undefined if it is. */
  externalDatabaseBytes?: (() => Promise<number>) | undefined;
  /** The bucket that files and backups are in. */
  bucket: string | undefined;
}

interface TryOptions {
  to: string | undefined;
  /** What to test instead of what is in use. */
  connection: OpenConnection | undefined;
  userId: number;
  signal: AbortSignal;
}

/** What a test has found: a sentence, and why not everything works. */
export interface TryResult {
  message: string;
  reason?: ProviderFailure;
}

/** An external service that this server uses. */
export interface ProviderEntry extends Omit<ProviderStatus, 'name' | 'connection' | 'problem'> {
  /** Uses the provider for real, and returns a sentence about the result. Fails with what went wrong. */
  tryOut(options: TryOptions): Promise<string | TryResult>;
}

/** All providers. They are looked up each time, because a program can be installed in the meantime. */
export type ProviderTests = () => Record<ProviderName, ProviderEntry>;

/** An error whose message was written for people. Other messages could contain a key. */
export class ProviderTestError extends Error {
  constructor(
    message: string,
    readonly reason?: ProviderFailure,
    /** The models that the provider has. */
    readonly models?: string[],
  ) {
    super(message);
  }
}
