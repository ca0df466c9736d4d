import type { S3Settings } from '../../blobs/index.ts';
import { bucketDestination } from './bucket.ts';
import type { Destination } from './destination.ts';
import { folderDestination } from './folder.ts';

/** Where the settings say that the replica is. */
export type ReplicaPlace =
  | { kind: 'folder'; folder: string }
  | { kind: 'bucket'; s3: S3Settings; prefix: string };

export function openDestination(place: ReplicaPlace): Destination {
  return place.kind === 'folder'
    ? folderDestination(place.folder)
    : bucketDestination(place.s3, place.prefix);
}

/** The place as people write it, without keys. */
export function sayPlace(place: ReplicaPlace): string {
  return place.kind === 'folder' ? place.folder : `s3://${place.s3.bucket}/${place.prefix}`;
}
