import { join } from 'node:path';
import type { S3Settings } from '../../../platform/blobs/index.ts';
import { bucketPlace } from './bucket.ts';
import { diskPlace } from './disk.ts';
import type { BackupPlace } from './place.ts';

export interface PlaceSettings {
  dataFolder: string;
  s3: S3Settings | undefined;
  backups: { folder: string | undefined };
}

/** Where a server with these settings keeps its backups. */
export function openPlace({ dataFolder, s3, backups }: PlaceSettings): BackupPlace {
  if (backups.folder) return diskPlace(backups.folder);
  return s3 ? bucketPlace(s3) : diskPlace(join(dataFolder, 'backups'));
}
