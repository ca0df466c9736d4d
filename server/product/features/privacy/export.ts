import type { ExportFile } from '../../../lib/formats/export-files.ts';
import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { imageKey } from '../images.ts';
import { imagesAfter } from '../store.ts';

/** The pictures of a user: those that were generated for them, and the previews of their pages. */
export async function* exportImages(
  { db, kept }: { db: Db; kept: Pick<KeptBlobs, 'open'> },
  userId: number,
): AsyncGenerator<ExportFile> {
  for (let after = ''; ; ) {
    const ids = await imagesAfter(db, userId, after);
    for (const id of ids) {
      const blob = await kept.open(imageKey(id));
      if (blob) yield { path: `images/${id}.png`, ...blob };
    }
    const last = ids.at(-1);
    if (last === undefined) return;
    after = last;
  }
}
