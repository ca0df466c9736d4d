import { useRef, useState } from 'preact/hooks';
import { CodeEditor, type Editor } from '../../editor/index.tsx';
import { Button, Failure, formatNumber, plural, Table } from '../../ui/index.ts';
import { type QueryResult, type Row, runSql } from '../api.ts';
import { Ask } from '../ask.tsx';
import { forget, keepTyped, readHistory, readTyped, remember } from './history.ts';
import { kindOf, lossOf } from './statement.ts';
import { columnsOf, Value } from './value.tsx';

/** More rows would make the browser slow. */
const SHOWN_ROWS = 500;

/** A console that runs one SQL statement at a time. */
export function SqlConsole({ slug }: { slug: string }) {
  const sql = useSqlConsole(slug);
  return (
    <section class="fn-sql" aria-label="SQL console">
      <CodeEditor
        label="SQL"
        language="sql"
        text={sql.text}
        onChange={sql.change}
        onRun={sql.run}
        onReady={sql.attach}
      />
      <div class="fn-bar">
        <p class="hint">One SQLite statement. Press Ctrl-Enter to run it.</p>
        <Button onClick={sql.run} disabled={sql.isRunning || sql.text.trim() === ''} title="Ctrl-Enter or ⌘↵">
          Run
        </Button>
      </div>
      {sql.failure && <Failure error={sql.failure} />}
      {sql.result && <Result {...sql.result} />}
      {sql.asking && (
        <Ask title="Run this statement?" submit="Run" onConfirm={sql.confirm} onClose={sql.cancel}>
          This permanently deletes {sql.asking.loss}.
        </Ask>
      )}
      {sql.history.length > 0 && (
        <History statements={sql.history} onPick={sql.pick} onClear={sql.clearHistory} />
      )}
    </section>
  );
}

function useSqlConsole(slug: string) {
  const [history, setHistory] = useState(() => readHistory(slug));
  const [text, setText] = useState(
    () => readTyped(slug) ?? history[0] ?? 'SELECT name, type FROM sqlite_master;',
  );
  const [result, setResult] = useState<{ statement: string; answer: QueryResult }>();
  /** A statement that deletes data and waits for confirmation. */
  const [asking, setAsking] = useState<{ statement: string; loss: string }>();
  const [failure, setFailure] = useState<Error>();
  const [isRunning, setRunning] = useState(false);
  const editor = useRef<Editor>(undefined);

  const run = async () => {
    // The editor may have newer text than `text`: its change event comes later.
    const statement = editor.current?.text() ?? text;
    if (isRunning || asking || statement.trim() === '') return;
    const loss = lossOf(statement);
    if (loss) setAsking({ statement, loss });
    else await send(statement);
  };

  const send = async (statement: string) => {
    setRunning(true);
    setFailure(undefined);
    setHistory(remember(slug, statement));
    try {
      setResult({ statement, answer: await runSql(slug, statement) });
    } catch (error) {
      setResult(undefined);
      setFailure(error as Error);
    } finally {
      setRunning(false);
    }
  };

  return {
    text,
    history,
    result,
    asking,
    failure,
    isRunning,
    run,
    change(typed: string) {
      setText(typed);
      keepTyped(slug, typed);
    },
    confirm: () => void (asking && send(asking.statement)),
    cancel: () => setAsking(undefined),
    pick(sql: string) {
      editor.current?.setText(sql);
      editor.current?.focus();
    },
    clearHistory: () => setHistory(forget(slug)),
    attach(ready: Editor) {
      editor.current = ready;
    },
  };
}

interface HistoryProps {
  statements: string[];
  onPick: (sql: string) => void;
  onClear: () => void;
}

function History({ statements, onPick, onClear }: HistoryProps) {
  return (
    <details class="fn-history">
      <summary>History, {plural(statements.length, 'statement')}</summary>
      <ul>
        {statements.map((sql) => (
          <li key={sql}>
            <button type="button" onClick={() => onPick(sql)}>
              <code>{sql.replace(/\s+/g, ' ').slice(0, 200)}</code>
            </button>
          </li>
        ))}
      </ul>
      <Button kind="bare" onClick={onClear}>
        Clear history
      </Button>
    </details>
  );
}

function Result({ statement, answer: { results, meta } }: { statement: string; answer: QueryResult }) {
  const shown = results.slice(0, SHOWN_ROWS).map((row, number) => ({ row, number }));
  return (
    <div class="fn-result">
      <p class="faint" role="status" aria-label="Result">
        {describe(statement, results.length, meta)}
      </p>
      {shown.length > 0 && (
        <div class="fn-rows">
          <Table
            caption="Result rows"
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

/** Describes the result, with the figures that make sense for the statement. */
function describe(statement: string, rows: number, meta: QueryResult['meta']): string {
  const kind = kindOf(statement);
  const duration = `in ${formatNumber(meta.duration)} ms`;
  if (rows === 0 && kind === 'other') return `Done ${duration}`;
  const changed = `${plural(meta.changes, 'row')} changed`;
  if (rows === 0 && kind === 'changes') {
    const isAdded = meta.changes > 0 && /\b(insert|replace)\b/i.test(statement);
    return `Done ${duration} · ${changed}${isAdded ? ` · last row id ${meta.last_row_id}` : ''}`;
  }
  const read = `${formatNumber(meta.rows_read)} read`;
  return `${plural(rows, 'row')} ${duration} · ${read}${meta.changes > 0 ? ` · ${changed}` : ''}`;
}
