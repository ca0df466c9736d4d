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
