import { type ExportFile, exportFile } from '../../../lib/formats/export-files.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { listGrants } from '../store.ts';

/** The apps that a user has connected. */
export async function* exportApps(db: Db, userId: number): AsyncGenerator<ExportFile> {
  const grants = await listGrants(db, userId, 0);
  if (grants.length === 0) return;
  yield exportFile(
    'connected-apps.json',
    grants.map((row) => ({
      name: row.name,
      origin: row.origin,
      scopes: row.scopes.split(' '),
      pageId: row.page_id,
      createdAt: toTimestamp(row.created_at),
      usedAt: toTimestamp(row.used_at),
      expiresAt: toTimestamp(row.expires_at),
    })),
  );
}
