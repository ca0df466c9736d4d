import { createInterface } from 'node:readline/promises';
import { databaseEndpoints } from '../../contract/functions/database-endpoints.ts';
import type { QueryResult } from '../../contract/functions/functions.ts';
import { statements } from '../../contract/rules/sql-statements.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { count } from '../terminal/amounts.ts';
import { isAsked, readStdin } from '../terminal/ask.ts';
import { columns } from '../terminal/columns.ts';
import { CommandError, UsageError } from '../usage.ts';
import { parseIfJson } from './json-or-text.ts';

export const functionsSql: Command = {
  name: 'functions sql',
  usage: '<slug> [statement]',
  args: [1, 2],
  summary: "run SQL on a function's database",
  options: {
    param: {
      type: 'string',
      value: 'json',
      multiple: true,
      summary: 'a value for the next ? (JSON, otherwise text)',
    },
    ...SERVER_OPTION,
  },
  notes: `Without a statement, opens a prompt in a terminal. Otherwise runs the statements on standard input one after the
other, and stops at the first that fails.`,
  async run(call) {
    const api = await connect(call);
    const [slug = '', statement] = call.args;
    const params = call.texts('param').map(parseIfJson);
    if (statement !== undefined) return show(await query(api, slug, statement, params), call);
    if (params.length > 0) throw new UsageError('--param needs a statement.');
    if (isAsked()) return prompt(api, slug, call);
    for (const each of statements(await readStdin())) show(await query(api, slug, each, []), call);
  },
};

function query(api: Api, slug: string, sql: string, params: unknown[]): Promise<QueryResult> {
  const body = { sql, ...(params.length > 0 && { params }) };
  return api.call(databaseEndpoints.queryDatabase, { params: { slug }, body });
}

function show(result: QueryResult, { out }: Call): void {
  const { results, meta } = result;
  const [first] = results;
  const table = () => {
    const headings = Object.keys(first ?? {});
    return columns(
      headings,
      results.map((row) => headings.map((name) => row[name])),
      out.paint.bold,
    );
  };
  out.item(result, out.isJson || !first ? '' : table());
  const outcome = first ? count(results.length, 'row') : `${meta.changes} changed`;
  if (!out.isJson) out.note(out.paintError.dim(`${outcome}, ${meta.duration.toFixed(1)} ms`));
}

/** Reads statements, which can span several lines, and continues after one that fails. */
async function prompt(api: Api, slug: string, call: Call): Promise<void> {
  const reader = createInterface({ input: process.stdin, output: process.stderr, historySize: 500 });
  let isClosed = false;
  reader.once('close', () => {
    isClosed = true;
  });
  const ask = (text: string) => {
    // Ctrl-D can be pressed while a statement runs.
    if (isClosed) return;
    reader.setPrompt(text);
    reader.prompt();
  };
  call.out.note(`Database of ${slug}. End a statement with ; and press Ctrl-D to exit.`);
  ask('sql> ');
  let typed = '';
  for await (const line of reader) {
    typed += `${line}\n`;
    const isWhole = /;\s*$/.test(typed) || typed.trim() === '';
    if (isWhole) {
      for (const each of statements(typed)) {
        try {
          show(await query(api, slug, each, []), call);
        } catch (error) {
          if (!(error instanceof CommandError)) throw error;
          call.out.error(call.out.paintError.red(error.message));
        }
      }
      typed = '';
    }
    ask(isWhole ? 'sql> ' : '  -> ');
  }
  reader.close();
}
