import type { Compilable, CompiledQuery, QueryResult } from 'kysely';
import type { Db } from './handles.ts';

interface Template {
  query: CompiledQuery;
  /** The source of each parameter: the index of an argument, or a constant. */
  sources: Array<{ argument: number } | { value: unknown }>;
}

/** Stands for an argument while the query is compiled. */
class Placeholder {
  constructor(readonly argument: number) {}
}

/**
 * A query that is compiled once per engine; afterwards only its values change. Building and compiling a query takes
 * several times as long as running it on SQLite, so hot paths use this. The text must not depend on the values:
 * `build` is called once, with placeholders.
 */
export function statement<Args extends unknown[], Row>(
  build: (db: Db, ...args: Args) => Compilable<Row>,
): (db: Db, ...args: Args) => Promise<QueryResult<Row>> {
  const templates = new WeakMap<object, Template>();

  function prepare(db: Db): Template {
    const placeholders = Array.from({ length: build.length - 1 }, (_, index) => new Placeholder(index));
    const query = build(db, ...(placeholders as unknown as Args)).compile();
    const sources = query.parameters.map((parameter) =>
      parameter instanceof Placeholder ? { argument: parameter.argument } : { value: parameter },
    );
    return { query, sources };
  }

  return (db, ...args) => {
    const { adapter } = db.getExecutor();
    const template = templates.get(adapter) ?? prepare(db);
    templates.set(adapter, template);
    const parameters = template.sources.map((source) =>
      'argument' in source ? args[source.argument] : source.value,
    );
    return db.executeQuery<Row>({ ...template.query, parameters } as CompiledQuery<Row>);
  };
}

/** The first row of a statement's result, if any. */
export async function firstRow<Row>(result: Promise<QueryResult<Row>>): Promise<Row | undefined> {
  return (await result).rows[0];
}
