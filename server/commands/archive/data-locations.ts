import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { CommandError } from '../../../cli/usage.ts';
import type { Config } from '../../platform/config/index.ts';
import type { Manifest } from '../../product/backup/index.ts';

/** Where a server with certain settings stores its data, without passwords. */
export const DataLocations = z.object({
  database: z.object({ engine: z.enum(['sqlite', 'postgres']), name: z.string(), host: z.string() }),
  files: z.object({ in: z.enum(['folder', 'bucket']), name: z.string(), host: z.string() }),
  dataFolder: z.string(),
});
export type DataLocations = z.infer<typeof DataLocations>;

type Settings = Pick<Config, 'dataFolder' | 'databaseUrl' | 's3'>;

export function locateData({ dataFolder, databaseUrl, s3 }: Settings): DataLocations {
  const url = databaseUrl ? new URL(databaseUrl) : undefined;
  return {
    database: url
      ? { engine: 'postgres', name: decodeURIComponent(url.pathname.slice(1)), host: url.host }
      : { engine: 'sqlite', name: 'quire.db', host: '' },
    files: s3
      ? { in: 'bucket', name: s3.bucket, host: s3.endpoint ?? 'AWS' }
      : { in: 'folder', name: 'blobs', host: '' },
    dataFolder,
  };
}

/** Says where data is, for people: `PostgreSQL database quire at 10.0.0.2, data folder /var/lib/quire`. */
export function describeLocations({ database, files, dataFolder }: DataLocations): string {
  return [
    database.engine === 'postgres'
      ? `PostgreSQL database ${database.name}${database.host && ` at ${database.host}`}`
      : 'SQLite',
    ...(files.in === 'bucket' ? [`bucket ${files.name} at ${files.host}`] : []),
    `data folder ${dataFolder}`,
  ].join(', ');
}

const WITH_ITS_SETTINGS = 'Run this command with the settings of the server, for example with --env-file.';

/**
 * Fails if the running server uses another database or bucket than the settings say: with these settings, the next
 * backup without a running server would be of something else. Hosts have several names, so they are not compared.
 */
export function assertSameLocations(server: DataLocations, settings: DataLocations): void {
  const differs = (one: { name: string }, other: { name: string }) => one.name !== other.name;
  if (!differs(server.database, settings.database) && !differs(server.files, settings.files)) return;
  throw new CommandError(
    `The server that is running uses ${describeLocations(server)}, but these settings say ${describeLocations(settings)}. ${WITH_ITS_SETTINGS}`,
  );
}

/**
 * Fails if the settings name no database although a server has used this folder with one. Otherwise the command would
 * make an empty SQLite database, and work on that.
 */
export function assertDatabase({
  dataFolder,
  databaseUrl,
}: Pick<Config, 'dataFolder' | 'databaseUrl'>): void {
  const has = (name: string) => existsSync(join(dataFolder, name));
  if (databaseUrl || has('quire.db') || !has('lock')) return;
  throw new CommandError(
    `DATABASE_URL is not set, but ${dataFolder} has no SQLite database: its server uses PostgreSQL. ${WITH_ITS_SETTINGS}`,
  );
}

/** Fails if the archive comes from PostgreSQL or a bucket and the settings have none, which is usually a mistake. */
export function assertFits({ engine, files }: Manifest, to: DataLocations): void {
  const missing = [
    ...(engine === 'postgres' && to.database.engine !== 'postgres' ? ['PostgreSQL (DATABASE_URL)'] : []),
    ...(files === 'bucket' && to.files.in !== 'bucket' ? ['a bucket (S3_BUCKET)'] : []),
  ];
  if (missing.length === 0) return;
  throw new CommandError(
    `The server of this archive used ${missing.join(' and ')}, but these settings do not. Nothing was restored. ${WITH_ITS_SETTINGS} To move the data into ${to.dataFolder}, add --move.`,
  );
}
