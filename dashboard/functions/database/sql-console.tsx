import { useRef, useState } from 'preact/hooks';
import { CodeEditor, type Editor } from '../../editor/index.tsx';
import { Button, Failure, formatNumber, plural, Table } from '../../ui/index.ts';
import { type QueryResult, type Row, runSql } from '../api.ts';
import { forget, keepTyped, readHistory, readTyped, remember } from './history.ts';
import { columnsOf, Value } from './value.tsx';

/** More rows than this make a browser slow; the statement ran in full all the same. */
const SHOWN_ROWS = 500;

/** A console for SQL: one statement at a time. */
export function SqlConsole({ slug }: { slug: string }) {
  const [history, setHistory] = useState(() => readHistory(slug));
  const [text, setText] = useState(
    () => readTyped(slug) ?? history[0] ?? 'SELECT name, type FROM sqlite_master;',
  );
  const [result, setResult] = useState<QueryResult>();
  const [failure, setFailure] = useState<Error>();
  const [isRunning, setRunning] = useState(false);
  const editor = useRef<Editor>(undefined);

  const run = async () => {
    // Asked of the editor, which knows the last key before we are told of it.
    const statement = editor.current?.text() ?? text;
    if (isRunning || statement.trim() === '') return;
    setRunning(true);
    setFailure(undefined);
    setHistory(remember(slug, statement));
    try {
      setResult(await runSql(slug, statement));
    } catch (error) {
      setResult(undefined);
      setFailure(error as Error);
    } finally {
      setRunning(false);
    }
  };

  return (
    <section class="fn-sql" aria-label="SQL console">
      <CodeEditor
        label="SQL"
        language="sql"
        text={text}
        onChange={(typed) => {
          setText(typed);
          keepTyped(slug, typed);
        }}
        onRun={run}
        onReady={(ready) => {
          editor.current = ready;
        }}
      />
      <div class="fn-bar">
        <p class="hint">One statement, SQLite's dialect. Ctrl-Enter runs it.</p>
        <Button onClick={run} disabled={isRunning || text.trim() === ''} title="Ctrl-Enter or ⌘↵">
          Run
        </Button>
      </div>
      {failure && <Failure error={failure} />}
      {result && <Result result={result} />}
      {history.length > 0 && (
        <details class="fn-history">
          <summary>History, {plural(history.length, 'statement')}</summary>
          <ul>
            {history.map((sql) => (
              <li key={sql}>
                <button
                  type="button"
                  onClick={() => {
                    editor.current?.setText(sql);
                    editor.current?.focus();
                  }}
                >
                  <code>{sql.replace(/\s+/g, ' ').slice(0, 200)}</code>
                </button>
              </li>
            ))}
          </ul>
          <Button kind="bare" onClick={() => setHistory(forget(slug))}>
            Forget the history
          </Button>
        </details>
      )}
    </section>
  );
}

function Result({ result: { results, meta } }: { result: QueryResult }) {
  const shown = results.slice(0, SHOWN_ROWS).map((row, number) => ({ row, number }));
  return (
    <div class="fn-result">
      <p class="faint" role="status" aria-label="Result">
        {plural(results.length, 'row')} in {formatNumber(meta.duration)} ms · {formatNumber(meta.rows_read)}{' '}
        read, {formatNumber(meta.rows_written)} written, {formatNumber(meta.changes)} changed
        {meta.changes > 0 && ` · last row id ${meta.last_row_id}`}
      </p>
      {shown.length > 0 && (
        <div class="fn-rows">
          <Table
            caption="Rows of the result"
            rows={shown}
            keyOf={({ number }) => number}
            columns={columnsOf(results).map((name) => ({
              title: name,
              cell: ({ row }: { row: Row; number: number }) => <Value value={row[name]} />,
            }))}
          />
        </div>
      )}
      {results.length > SHOWN_ROWS && (
        <p class="hint">
          Only the first {SHOWN_ROWS} of {formatNumber(results.length)} rows are shown. Add a LIMIT, or export
          the database.
        </p>
      )}
    </div>
  );
}
