import { type Db, firstRow, statement } from '../../../platform/storage/index.ts';
import { type Manifest, parseManifest } from './manifest.ts';

/** SQL for the files of pages. */

const manifestById = statement((db, id: number) =>
  db.selectFrom('page_manifests').select('files').where('id', '=', id),
);

/** The files of a version. No id means that it has none. */
export async function readManifest(db: Db, id: number | null): Promise<Manifest> {
  const row = id === null ? undefined : await firstRow(manifestById(db, id));
  return parseManifest(row?.files ?? '{}');
}

const keyByHash = statement((db, hash: string) =>
  db.selectFrom('file_blobs').select('key').where('hash', '=', hash),
);

/** Where the bytes with this hash are. */
export async function findKey(db: Db, hash: string): Promise<string | undefined> {
  return (await firstRow(keyByHash(db, hash)))?.key;
}
