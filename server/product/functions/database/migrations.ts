import { z } from 'zod';
import { type CodePlace, withPlace } from '../../../../contract/errors.ts';
import type { MigrationList } from '../../../../contract/functions/migrations.ts';
import { findMigrations, MIGRATIONS_FOLDER } from '../../../../contract/rules/projects/migrations.ts';
import { DATABASE_PATHS, type Migration } from '../../../../workers/protocol.ts';
import { AppError } from '../../../lib/errors.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { Db } from '../../../platform/storage/index.ts';
import type { Databases } from '../../../runtime/databases/index.ts';
import { readFiles } from '../model/files.ts';
import type { FunctionRow } from '../model/store.ts';
import { queryRows, reach, readHostJson, requireDatabase, toHostError } from './database.ts';
import { findDatabaseHolder } from './store.ts';

/** The migrations among the files of a function. */

const Answer = z.union([
  z.object({ success: z.literal(true), applied: z.array(z.string()) }),
  z.object({
    success: z.literal(false),
    error: z.string(),
    place: z.object({
      name: z.string(),
      statement: z.int().optional(),
      line: z.int(),
      column: z.int(),
    }),
  }),
]);

/** Applies the migrations that a database does not have yet: all of them, or none. Returns their names. */
export async function migrate(
  databases: Databases,
  database: { ownerId: number; databaseId: number },
  migrations: Migration[],
): Promise<string[]> {
  const response = await reach(databases, database, DATABASE_PATHS.migrate, JSON.stringify({ migrations }));
  const sent = await readHostJson(response);
  const answer = Answer.safeParse(sent);
  if (!answer.success) throw toHostError(sent);
  if (answer.data.success) return answer.data.applied;
  const { error, place } = answer.data;
  const text = error.replace(/: SQLITE_[A-Z_]+$/, '');
  throw migrationFailed(
    place.statement === undefined ? text : `Statement ${place.statement} of the migration failed: ${text}`,
    place,
  );
}

/** Refuses migrations of a function that has no database, or that shares the one of another function. */
export async function assertMayMigrate(
  db: Db,
  migrations: Migration[],
  target: { function: FunctionRow | undefined; hasDatabase: boolean; useDatabase?: string | undefined },
): Promise<void> {
  const [first] = migrations;
  if (!first) return;
  const place = { name: first.name, line: 1, column: 1 };
  if (target.useDatabase !== undefined) throw belongsTo(target.useDatabase, place);
  if (!target.hasDatabase)
    throw migrationFailed(
      'The function has no database. Create it with enableDatabase, or leave out its migrations',
      place,
    );
  if (!target.function) return;
  const holder = await findDatabaseHolder(db, target.function.database_id ?? 0);
  if (holder && holder.id !== target.function.id) throw belongsTo(holder.slug, place);
}

const belongsTo = (slug: string, place: MigrationFault) =>
  migrationFailed(
    `The database belongs to the function ${slug}, and only that one migrates it. Move the migrations to its files`,
    place,
  );

interface MigrationFault {
  name: string;
  line: number;
  column: number;
}

function migrationFailed(message: string, { name, line, column }: MigrationFault): AppError {
  const location: CodePlace = { file: MIGRATIONS_FOLDER + name, line, column };
  return new AppError(
    'DEPLOY_FAILED',
    '{message}',
    { message: withPlace(message, location) },
    { body: location },
  );
}

const HAS_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'd1_migrations'";
const NOTES = `SELECT substr(name, 1, 300) AS name, CASE WHEN typeof(applied_at) = 'text' THEN substr(applied_at, 1, 50) END AS at
  FROM d1_migrations ORDER BY rowid LIMIT 10000`;

/** The migrations that a database has, and those among the files of the function that it does not have. */
export async function listMigrations(
  { db, databases }: { db: Db; databases: Databases },
  row: FunctionRow,
): Promise<MigrationList> {
  requireDatabase(row);
  const hasTable = (await queryRows(databases, row, HAS_TABLE)).length > 0;
  const applied = hasTable ? await queryRows(databases, row, NOTES) : [];
  const names = new Set(applied.map(([name]) => String(name)));
  const pending = findMigrations(await readFiles(db, row.id, row.version)).filter(
    ({ name }) => !names.has(name),
  );
  return {
    migrations: [
      ...applied.map(([name, at]) => ({ name: String(name), appliedAt: readMoment(at), pending: false })),
      ...pending.map(({ name }) => ({ name, appliedAt: null, pending: true })),
    ],
  };
}

/** A moment as SQLite writes it, in UTC. Owners can write anything into the table. */
function readMoment(at: unknown): string | null {
  if (typeof at !== 'string' || !/^\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d/.test(at)) return null;
  const moment = Date.parse(`${at.slice(0, 19).replace(' ', 'T')}Z`);
  return Number.isNaN(moment) ? null : toTimestamp(moment);
}
