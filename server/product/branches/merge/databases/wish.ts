import { findMigrations } from '../../../../../contract/rules/projects/migrations.ts';
import { AppError } from '../../../../lib/errors.ts';
import type { MergeOrder as SqlOrder, SqlTrial } from '../../../../runtime/databases/index.ts';
import type { FunctionContent } from '../../../merge-ports.ts';
import type { Take } from '../taken.ts';
import type { DatabasePair } from './find.ts';

/** What somebody wants of the databases, in the words of those who merge each. */

export interface DatabaseWish {
  into: 'branch' | 'main';
  take: Take;
  /** Tables whose rows are merged, such as `order/people` or `people`. */
  tables: readonly string[] | 'all';
  confirm: boolean;
}

/** The order for one database. Seen from the side that is changed, the other one is the branch. */
export function toOrder(
  pair: DatabasePair,
  wish: DatabaseWish,
  functions: ReadonlyMap<string, FunctionContent>,
): Omit<SqlOrder, 'stripped'> {
  const { into, tables, confirm, take } = wish;
  return {
    tables: tables === 'all' ? 'all' : tables.flatMap((name) => nameIn(pair, name) ?? []),
    take: take.flatMap(({ path, from }) =>
      toPaths(pair, path).map((inner) => ({ path: inner, from: into === 'main' ? from : flip(from) })),
    ),
    confirm,
    migrations: listMigrations(pair, functions),
  };
}

/** The migrations of the functions that share a database. Only one of them has some. */
const listMigrations = (
  { functions: names }: DatabasePair,
  functions: ReadonlyMap<string, FunctionContent>,
) =>
  names.flatMap((name) =>
    findMigrations(JSON.parse(functions.get(name)?.files ?? '{}') as Record<string, string>),
  );

/** Whether a merge brings migrations that the code did not have before. */
export function bringsMigrations(
  pair: DatabasePair,
  functions: Record<'wanted' | 'current', ReadonlyMap<string, FunctionContent>>,
): boolean {
  const known = new Set(listMigrations(pair, functions.current).map(({ name }) => name));
  return listMigrations(pair, functions.wanted).some(({ name }) => !known.has(name));
}

const flip = (from: 'branch' | 'main') => (from === 'main' ? 'branch' : 'main');

/** Paths within a database: those of `databases` and of `databases/order` stand for everything in it. */
function toPaths({ name }: DatabasePair, path: string): string[] {
  const prefix = `databases/${name}`;
  if (path === 'databases' || path === prefix) return ['schema', 'rows'];
  return path.startsWith(`${prefix}/`) ? [path.slice(prefix.length + 1)] : [];
}

/** A table of a database by what somebody calls it; undefined if they mean that of another function. */
function nameIn({ functions }: DatabasePair, asked: string): string | undefined {
  const owner = functions.find((name) => asked.startsWith(`${name}/`));
  return owner === undefined ? asked : asked.slice(owner.length + 1);
}

/** Fails if a table that somebody named is in no database, or in several. */
export function assertTables(
  tables: readonly string[],
  trials: ReadonlyArray<{ pair: DatabasePair; trial: Pick<SqlTrial, 'missing'> }>,
): void {
  for (const asked of tables) {
    const owners = trials.filter(({ pair }) => pair.functions.some((name) => asked.startsWith(`${name}/`)));
    const found = (owners.length > 0 ? owners : trials).filter(
      ({ pair, trial }) => !trial.missing.includes(nameIn(pair, asked) ?? asked),
    );
    if (found.length === 0)
      throw new AppError(
        'CONFLICT',
        'There is no table {table} in the databases that the branch and its page both have. Name it as function/table; the changes of the branch list them.',
        { table: asked },
      );
    if (found.length > 1)
      throw new AppError(
        'CONFLICT',
        'Several databases have a table {table}. Name it with its function: {example}.',
        { table: asked, example: `${found[0]?.pair.name}/${asked}` },
      );
  }
}
