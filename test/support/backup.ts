import { type App, startApp } from '../../server/app.ts';
import { readConfig } from '../../server/platform/config/config.ts';
import { createLog } from '../../server/platform/http/index.ts';
import { type PlainRow, startStorage } from '../../server/platform/storage/index.ts';
import { type CallOptions, makeRequest, readResponse, type TestResponse } from './http/call.ts';

/** Where a service stores its data. */
export interface DataLocation {
  dataFolder: string;
  databaseUrl?: string | undefined;
}

/** Makes a user administrator, as `quire user promote` does. */
export async function promote(place: DataLocation, username: string): Promise<void> {
  const storage = await startStorage(place);
  await storage.db.updateTable('users').set({ is_admin: 1 }).where('username', '=', username).execute();
  await storage.stop();
}

/** Every row of every table, sorted. */
export async function allRows(place: DataLocation): Promise<Record<string, unknown[]>> {
  const storage = await startStorage(place);
  const snapshot = await storage.snapshot();
  try {
    const tables: Record<string, unknown[]> = {};
    for (const table of snapshot.tables) {
      const rows: PlainRow[] = [];
      // When a backup was made is known only after it.
      for await (const row of snapshot.rows(table)) if (row.name !== 'last backups') rows.push(row);
      const texts = rows.map((row) => JSON.stringify(row, Object.keys(row).sort()));
      tables[table] = texts.sort().map((text) => JSON.parse(text));
    }
    return tables;
  } finally {
    await snapshot.end();
    await storage.stop();
  }
}

/** A service on restored data. `path` can be a full URL, for other hosts. */
export async function reopen(
  place: DataLocation,
): Promise<{ app: App; call(method: string, path: string, options?: CallOptions): Promise<TestResponse> }> {
  const settings = { QUIRE_DATA: place.dataFolder, QUIRE_FUNCTION_CALLS_PER_MINUTE: '0' };
  const config = readConfig({ ...settings, ...(place.databaseUrl && { DATABASE_URL: place.databaseUrl }) });
  const app = await startApp({ config, log: createLog('silent') });
  const call = async (method: string, path: string, options: CallOptions = {}) =>
    readResponse(
      await app.fetch(
        new Request(new URL(path, config.baseUrl).href, makeRequest(method, options)),
        () => '127.0.0.1',
      ),
    );
  return { app, call };
}
