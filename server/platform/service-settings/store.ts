import type { Db, Tx } from '../storage/index.ts';

/** SQL for settings in the database. */

export async function readSetting(db: Db, name: string): Promise<string | undefined> {
  const query = db.selectFrom('service_settings').select('value').where('name', '=', name);
  return (await query.executeTakeFirst())?.value;
}

export async function saveSetting(tx: Tx, name: string, value: string, now: number): Promise<void> {
  await tx
    .insertInto('service_settings')
    .values({ name, value, updated_at: now })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value, updated_at: now }))
    .execute();
}

/**
 * The value that a setting has since a moment. If it has an older one, `value` replaces that on all nodes. Undefined if
 * it has a newer one.
 */
export async function settingSince(
  db: Db,
  name: string,
  moment: number,
  value: string,
): Promise<string | undefined> {
  const written = await db
    .insertInto('service_settings')
    .values({ name, value, updated_at: moment })
    .onConflict((conflict) =>
      conflict
        .column('name')
        .doUpdateSet({ value, updated_at: moment })
        .where('service_settings.updated_at', '<', moment),
    )
    .returning('value')
    .executeTakeFirst();
  if (written) return written.value;
  const query = db.selectFrom('service_settings').select('value').where('name', '=', name);
  return (await query.where('updated_at', '=', moment).executeTakeFirst())?.value;
}

/** Sets a setting for good. Returns what it was set to first. */
export async function fixSetting(db: Db, name: string, value: string, now: number): Promise<string> {
  await db
    .insertInto('service_settings')
    .values({ name, value, updated_at: now })
    .onConflict((conflict) => conflict.column('name').doNothing())
    .execute();
  return (await readSetting(db, name)) ?? value;
}

/** Removes a setting that was not set between these moments. */
export async function forgetSettingOutside(
  db: Db,
  name: string,
  { from, to }: { from: number; to: number },
): Promise<void> {
  await db
    .deleteFrom('service_settings')
    .where('name', '=', name)
    .where((eb) => eb.or([eb('updated_at', '<', from), eb('updated_at', '>', to)]))
    .execute();
}

/** Removes the settings whose names begin like this, except for some. */
export async function deleteSettingsLike(db: Db, prefix: string, kept: string[]): Promise<void> {
  await db
    .deleteFrom('service_settings')
    .where('name', 'like', `${prefix}%`)
    .$if(kept.length > 0, (query) => query.where('name', 'not in', kept))
    .execute();
}
