import { sql } from 'kysely';
import { REMOVED_USER } from '../../../../contract/accounts/removed-user.ts';
import type { ExportFile } from '../../../lib/formats/export-files.ts';
import type { KeptBlobs } from '../../../platform/blobs/index.ts';
import type { Db, PageRow, Tx } from '../../../platform/storage/index.ts';
import type { ChargeUsage } from '../../ports.ts';
import { fileKey } from '../files.ts';
import { deleteFile } from '../store.ts';
import { exportTeamFile } from './export.ts';

interface StoredContext {
  db: Db;
  kept: Pick<KeptBlobs, 'open' | 'release'>;
  chargeUsage: ChargeUsage;
  accessChanged(pageId: number): Promise<void>;
}

/** Files that a user has uploaded to the teams of others. */
export class StoredFiles {
  readonly #context: StoredContext;

  constructor(context: StoredContext) {
    this.#context = context;
  }

  /** Measures the files of a user per page: their number, bytes, and when the last one was uploaded. */
  async measure(userId: number) {
    const rows = await this.#context.db
      .selectFrom('team_files')
      .select((eb) => [
        'page_id',
        eb.fn.countAll<number>().as('files'),
        sql<number>`coalesce(sum(size), 0)`.as('bytes'),
        eb.fn.max('created_at').as('last'),
      ])
      .where('uploaded_by', '=', userId)
      .groupBy('page_id')
      .execute();
    return rows.map(({ page_id: pageId, files, bytes, last }) => ({
      pageId,
      files: Number(files),
      bytes: Number(bytes),
      last,
    }));
  }

  async *exportOnPage(userId: number, pageId: number, folder: string): AsyncGenerator<ExportFile> {
    const { db, kept } = this.#context;
    for (const file of await listUserFiles(db, userId, pageId)) yield* exportTeamFile(kept, file, folder);
  }

  /** Deletes the files of a user on a page. A team has few. Returns how many there were. */
  async deleteOnPage(userId: number, page: PageRow): Promise<number> {
    const { db, kept, chargeUsage } = this.#context;
    return db.transaction().execute(async (tx) => {
      const files = await listUserFiles(tx, userId, page.id);
      for (const { id, size } of files)
        if (await deleteFile(tx, page.id, id)) {
          await chargeUsage(tx, page.owner_id, { bytes: -size });
          await kept.release(tx, [fileKey(id)]);
        }
      return files.length;
    });
  }

  /** Whether a user has uploaded a file, on any page. */
  async has(tx: Tx, userId: number): Promise<boolean> {
    const row = await tx
      .selectFrom('team_files')
      .select('id')
      .where('uploaded_by', '=', userId)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  }

  /** Removes a user from all teams. Their files stay with the teams, without their name. */
  async removeUserData(userId: number): Promise<void> {
    const { db, accessChanged } = this.#context;
    const left = await db.transaction().execute(async (tx) => {
      await forgetUploader(tx, userId);
      return tx.deleteFrom('team_members').where('user_id', '=', userId).returning('page_id').execute();
    });
    for (const { page_id } of left) await accessChanged(page_id);
  }
}

const listUserFiles = (db: Db, userId: number, pageId: number) =>
  db
    .selectFrom('team_files')
    .select(['id', 'name', 'size'])
    .where('uploaded_by', '=', userId)
    .where('page_id', '=', pageId)
    .orderBy('id')
    .execute();

async function forgetUploader(tx: Tx, userId: number): Promise<void> {
  await tx
    .updateTable('team_files')
    .set({ uploaded_by: REMOVED_USER.id })
    .where('uploaded_by', '=', userId)
    .execute();
}
