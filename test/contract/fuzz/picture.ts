import { picturePath } from '../../../contract/sites/page-picture.ts';
import { runSql } from '../../support/storage.ts';
import type { World } from './world.ts';

/**
 * The file of a page's picture. The service takes them with a browser, which is slow, so this gives a page one whose
 * bytes it has uploaded as a file.
 */
export async function newPicture(world: World, dataFolder: string): Promise<string> {
  const { id } = await world.newPage();
  await world.asOwner('PUT', `/api/pages/${id}/files/picture.webp`, {});
  const takenAt = Date.now();
  await runSql(
    { dataFolder, databaseUrl: undefined },
    `INSERT INTO page_pictures (page_id, version, blob_key, size, width, height, created_at)
     SELECT ${id}, 2, key, size, 1200, 750, ${takenAt}
     FROM file_blobs JOIN page_blobs USING (hash) WHERE page_id = ${id}`,
  );
  return picturePath(id, takenAt).split('/').at(-1) ?? '';
}
