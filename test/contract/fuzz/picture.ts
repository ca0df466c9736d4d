import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { picturePath } from '../../../contract/pages/page-picture.ts';
import { runSql } from '../../support/engines/storage.ts';

const DAY_MS = 24 * 3600 * 1000;

/** What the service makes with a browser, which is slow, so the server has none. */

/** The file of a page's picture. Its bytes are those of a file of the page. */
export async function newPicture(id: number, dataFolder: string): Promise<string> {
  const takenAt = Date.now();
  await runSql(
    { dataFolder, databaseUrl: undefined },
    `INSERT INTO page_pictures (page_id, version, blob_key, size, width, height, created_at)
     SELECT ${id}, 2, key, size, 1200, 750, ${takenAt}
     FROM file_blobs JOIN page_blobs USING (hash) WHERE page_id = ${id}`,
  );
  return picturePath(id, takenAt).split('/').at(-1) ?? '';
}

/** The file of a screenshot of a page. */
export async function newScreenshot(
  { ownerId, pageId }: { ownerId: number; pageId: number },
  dataFolder: string,
): Promise<string> {
  const id = randomBytes(32).toString('hex');
  const [now, size] = [Date.now(), 3];
  await Bun.write(join(dataFolder, 'blobs/screenshots', id), new Uint8Array(size));
  await runSql(
    { dataFolder, databaseUrl: undefined },
    `INSERT INTO screenshots (id, owner_id, page_id, viewport, size, created_at, expires_at)
     VALUES ('${id}', ${ownerId}, ${pageId}, 'desktop', ${size}, ${now}, ${now + DAY_MS})`,
  );
  return `${id}.png`;
}
