import { databaseEndpoints } from '../../contract/functions/database-endpoints.ts';
import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import { MIGRATIONS_TABLE, toMigrationScript } from '../../contract/rules/projects/migrations.ts';
import type { Api } from '../client/api.ts';
import type { Call } from '../command.ts';
import type { Migration, Worker } from '../project/worker.ts';
import { askLine, isAsked } from '../terminal/ask.ts';
import { UsageError } from '../usage.ts';

/** Names what a function does not have before anything is deployed, and asks whether to go on. */
export async function confirmLeft({ file, left }: Worker, call: Call): Promise<void> {
  if (left.length === 0 || call.flag('partly')) return;
  const list = [`${file} has what a function does not have:`, ...left.map((each) => `- ${each}`)].join('\n');
  if (isAsked() && /^y(es)?$/i.test(await askLine(`${list}\nDeploy it without that? [y/N] `))) return;
  throw new UsageError(`${list}\nNothing was deployed. Add --partly to deploy it without that.`);
}

/** Gives a deployed Worker its variables, and applies the migrations that do not fit into a deploy. */
export async function settleWorker(
  api: Api,
  slug: string,
  { vars }: Worker,
  migrations: Migration[],
): Promise<string[]> {
  for (const [name, value] of Object.entries(vars))
    await api.call(functionEndpoints.setSecret, { params: { slug, name }, body: { value } });
  return migrations.length > 0 ? migrate(api, slug, migrations) : [];
}

async function migrate(api: Api, slug: string, migrations: Migration[]): Promise<string[]> {
  const query = (sql: string) =>
    api.call(databaseEndpoints.queryDatabase, { params: { slug }, body: { sql } });
  await query(MIGRATIONS_TABLE);
  const { results } = await query('SELECT name FROM d1_migrations');
  const known = new Set(results.map(({ name }) => name));
  const missing = migrations.filter(({ name }) => !known.has(name));
  for (const migration of missing) {
    const script = Buffer.from(toMigrationScript(migration));
    const stream = { type: 'application/sql', length: script.length, chunks: toChunks(script) };
    await api.call(databaseEndpoints.importDatabase, { params: { slug }, stream });
  }
  return missing.map(({ name }) => name);
}

async function* toChunks(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}
