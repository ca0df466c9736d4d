import { postgresSnapshot } from './postgres.ts';
import type { Snapshot } from './snapshot.ts';
import { sqliteSnapshot } from './sqlite.ts';

export function openSnapshot(at: { path: string; databaseUrl?: string | undefined }): Promise<Snapshot> {
  return at.databaseUrl ? postgresSnapshot(at.databaseUrl) : sqliteSnapshot(at.path);
}
