import type { Compilable, CompiledQuery, DialectAdapter, QueryResult } from 'kysely';
import { type Span, startStatement } from '../traces/index.ts';
import type { Db } from './handles.ts';

/** Runs a statement without Kysely. Undefined if it has to wait for its turn, which only Kysely can do. */
export interface DirectAdapter extends DialectAdapter {
  runDirectly(
    text: string,
    parameters: unknown[],
    isInTransaction: boolean,
  ): MaybePromise<QueryResult<unknown>> | undefined;
}

type MaybePromise<T> = T | Promise<T>;

interface Template {
  query: CompiledQuery;
  /** For each parameter, the index of its argument; -1 if it is a constant of the query. */
  sources: number[];
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
      parameter instanceof Placeholder ? parameter.argument : -1,
    );
    rememberName(query.sql);
    return { query, sources };
  }

  // An async function, so that an error of a direct run rejects like all others.
  return async (db, ...args) => {
    const { adapter } = db.getExecutor();
    let template = templates.get(adapter);
    if (!template) {
      template = prepare(db);
      templates.set(adapter, template);
    }
    const { query, sources } = template;
    const parameters: unknown[] = [];
    for (let at = 0; at < sources.length; at++) {
      const argument = sources[at] as number;
      parameters.push(argument < 0 ? query.parameters[at] : args[argument]);
    }
    if ('runDirectly' in adapter) {
      const span = startStatement(query.sql);
      const result = (adapter as DirectAdapter).runDirectly(query.sql, parameters, db.isTransaction);
      if (result) return (span ? endAfter(span, result) : result) as MaybePromise<QueryResult<Row>>;
    }
    return db.executeQuery<Row>({ ...query, parameters } as CompiledQuery<Row>);
  };
}

async function endAfter<T>(span: Span, result: MaybePromise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    span.isFailed = true;
    throw error;
  } finally {
    span.end();
  }
}

const names = new Map<string, string>();

function rememberName(text: string): void {
  names.set(text, `quire_${Bun.hash(text).toString(36)}`);
}

/** The name under which an engine can keep a statement; undefined for queries that are not statements. */
export function findStatementName(text: string): string | undefined {
  return names.get(text);
}

/** The first row of a statement's result, if any. */
export async function firstRow<Row>(result: Promise<QueryResult<Row>>): Promise<Row | undefined> {
  return (await result).rows[0];
}
