import type { Selectable } from 'kysely';
import type { Db, Tables, Tx } from '../../../platform/storage/index.ts';

/** SQL for the versions of functions. */

export type VersionRow = Selectable<Tables['function_versions']>;
export type ListedVersion = Pick<VersionRow, 'version' | 'size' | 'created_at' | 'note'>;

export async function insertVersion(tx: Tx, version: VersionRow): Promise<void> {
  await tx.insertInto('function_versions').values(version).execute();
}

/** Lists the versions of a function, newest first. There are never many. */
export function listVersions(db: Db, functionId: number): Promise<ListedVersion[]> {
  return db
    .selectFrom('function_versions')
    .select(['version', 'size', 'created_at', 'note'])
    .where('function_id', '=', functionId)
    .orderBy('version', 'desc')
    .execute();
}

export function findVersion(db: Db, functionId: number, version: number): Promise<VersionRow | undefined> {
  return db
    .selectFrom('function_versions')
    .selectAll()
    .where('function_id', '=', functionId)
    .where('version', '=', version)
    .executeTakeFirst();
}

/** Sets the note of a version. False if there is no such version. */
export async function updateNote(
  tx: Tx,
  functionId: number,
  version: number,
  note: string,
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('function_versions')
    .set({ note: note || null })
    .where('function_id', '=', functionId)
    .where('version', '=', version)
    .executeTakeFirst();
  return Number(numUpdatedRows) > 0;
}

/** The module that runs: the bundle of the current version, or else the code as it was sent. */
export function findProgram(db: Db, id: number) {
  return (
    db
      .selectFrom('functions')
      .leftJoin('function_versions', (join) =>
        join
          .onRef('function_versions.function_id', '=', 'functions.id')
          .onRef('function_versions.version', '=', 'functions.version'),
      )
      .select((eb) => eb.fn.coalesce('function_versions.bundle', 'functions.code').as('code'))
      .select(['functions.taken_down_at', 'functions.owner_blocked_at'])
      // Only if the settings of a Worker are among them: files can be large, and cells start often.
      .select((eb) =>
        eb
          .case()
          .when('function_versions.files', 'like', '%"wrangler.%')
          .then(eb.ref('function_versions.files'))
          .else(null)
          .end()
          .as('files'),
      )
      .where('functions.id', '=', id)
      .executeTakeFirst()
  );
}

/** The files that were sent in addition to `code`, as JSON. */
export async function findFiles(db: Db, functionId: number, version: number): Promise<string | null> {
  const row = await db
    .selectFrom('function_versions')
    .select('files')
    .where('function_id', '=', functionId)
    .where('version', '=', version)
    .executeTakeFirst();
  return row?.files ?? null;
}

/** The source map of a version; null if it runs as it was sent, or no longer exists. */
export async function findSourceMap(db: Db, functionId: number, version: number): Promise<string | null> {
  const row = await db
    .selectFrom('function_versions')
    .select('source_map')
    .where('function_id', '=', functionId)
    .where('version', '=', version)
    .executeTakeFirst();
  return row?.source_map ?? null;
}

/** The bytes of the code of the newest version that is stored; 0 if there is none. */
export async function newestCodeBytes(tx: Tx, functionId: number): Promise<number> {
  const row = await tx
    .selectFrom('function_versions')
    .select('code')
    .where('function_id', '=', functionId)
    .orderBy('version', 'desc')
    .limit(1)
    .executeTakeFirst();
  return Buffer.byteLength(row?.code ?? '');
}

/** Deletes the versions up to this one, except some. Returns how many bytes they had. */
export async function deleteVersionsUpTo(
  tx: Tx,
  functionId: number,
  version: number,
  except: readonly number[],
): Promise<number> {
  const deleted = await tx
    .deleteFrom('function_versions')
    .where('function_id', '=', functionId)
    .where('version', '<=', version)
    .$if(except.length > 0, (query) => query.where('version', 'not in', except))
    .returning('size')
    .execute();
  return deleted.reduce((sum, { size }) => sum + size, 0);
}
