import { type RawBuilder, sql } from 'kysely';
import type { MigrationTools } from './tools.ts';

/**
 * Messages, schemas, agent specs and secrets now count towards the storage quota. Adds the existing ones to their
 * owners' usage, in one pass over each table that does not read the texts themselves.
 */
export async function up({ db }: MigrationTools): Promise<void> {
  const ofPages = (table: string, column: string) =>
    sql`select pages.owner_id, octet_length(${sql.ref(`${table}.${column}`)}) as bytes
      from ${sql.table(table)} join pages on pages.id = ${sql.ref(`${table}.page_id`)}`;
  const sources: RawBuilder<unknown>[] = [
    ofPages('page_messages', 'content'),
    ofPages('collections', 'schema'),
    ofPages('agent_specs', 'spec'),
    // A sealed value is base64 of 28 bytes and the secret.
    sql`select functions.owner_id,
      length(function_secrets.name) + length(rtrim(sealed_value, '=')) * 3 / 4 - 28 as bytes
      from function_secrets join functions on functions.id = function_secrets.function_id`,
  ];
  for (const source of sources) {
    await sql`update usage set bytes = usage.bytes + added.bytes
      from (select owner_id, sum(bytes) as bytes from (${source}) as texts
        where bytes is not null group by owner_id) as added
      where added.owner_id = usage.user_id`.execute(db);
  }
}
