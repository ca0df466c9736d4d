import type { Snapshot } from './snapshot.ts';
import { sqliteSnapshot } from './sqlite.ts';

export async function openSnapshot(at: {
  path: string;
  databaseUrl?: string | undefined;
}): Promise<Snapshot> {
  if (!at.databaseUrl) return sqliteSnapshot(at.path);
  const { postgresSnapshot } = await import('./postgres.ts');
  return postgresSnapshot(at.databaseUrl);
}
