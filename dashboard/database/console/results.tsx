import { t } from '../../texts/index.ts';
import { Button, Failure, formatNumber, saveFile, Table } from '../../ui/index.ts';
import { writeCsv } from '../../values/index.ts';
import type { QueryResult, Row } from '../api.ts';
import { classifyStatement } from '../statement.ts';
import { isBlob, isInexact, listColumns, Value } from '../value.tsx';
import type { Outcome } from './use-console.ts';

/** More rows would make the browser slow. */
const SHOWN_ROWS = 500;

/** What each statement returned. */
export function Results({ outcomes }: { outcomes: Outcome[] }) {
  return (
    <>
      {outcomes.map((outcome) => (
        <section key={outcome.number} class="fn-result">
          {outcomes.length > 1 && (
            <h3>
              {formatNumber(outcome.number)}.{' '}
              <code>{outcome.statement.replace(/\s+/g, ' ').slice(0, 120)}</code>
            </h3>
          )}
          {outcome.failure && <Failure error={outcome.failure} />}
          {outcome.answer && <Result statement={outcome.statement} answer={outcome.answer} />}
        </section>
      ))}
    </>
  );
}

function Result({ statement, answer: { results, meta } }: { statement: string; answer: QueryResult }) {
  const columns = listColumns(results);
  const shown = results.slice(0, SHOWN_ROWS).map((row, number) => ({ row, number }));
  return (
    <>
      <div class="fn-bar">
        <p class="faint" role="status" aria-label={t('Result')}>
          {describe(statement, results.length, meta)}
        </p>
        {results.length > 0 && (
          <Button kind="bare" onClick={() => saveCsv(results)}>
            {t('Download CSV')}
          </Button>
        )}
      </div>
      {shown.length > 0 && (
        <div class="fn-rows">
          <Table
            caption={t('Result rows')}
            rows={shown}
            getKey={({ number }) => number}
            columns={columns.map((name) => ({
              title: name,
              // The only column is as wide as the screen.
              isNumber: columns.length > 1 && isNumeric(results, name),
              cell: ({ row }: { row: Row; number: number }) => <Value value={row[name]} />,
            }))}
          />
        </div>
      )}
      {results.some((row) => Object.values(row).some(isInexact)) && (
        <p class="hint">
          {t('Numbers with ≈ are too large to be shown exactly. For all digits, use CAST(column AS TEXT).')}
        </p>
      )}
      {results.length > SHOWN_ROWS && (
        <p class="hint">
          {t(
            'Only the first {shown} of {total} rows are shown. Add a LIMIT, or download all of them as CSV.',
            {
              shown: SHOWN_ROWS,
              total: results.length,
            },
          )}
        </p>
      )}
    </>
  );
}

/** Whether all values of a column are numbers, apart from those that are missing. */
const isNumeric = (rows: Row[], name: string) =>
  rows.every((row) => row[name] === null || typeof row[name] === 'number') &&
  rows.some((row) => row[name] !== null);

function saveCsv(rows: Row[]): void {
  const columns = listColumns(rows);
  const hex = (bytes: number[]) => bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const cells = rows.map((row) => columns.map((name) => (isBlob(row[name]) ? hex(row[name]) : row[name])));
  saveFile('result.csv', new Blob([writeCsv([columns, ...cells])], { type: 'text/csv;charset=utf-8' }));
}

/** Describes the result, with the figures that make sense for the statement. */
function describe(statement: string, rows: number, meta: QueryResult['meta']): string {
  const kind = classifyStatement(statement);
  const ms = meta.duration;
  const changed = t('{count|1 row changed|{count} rows changed}', { count: meta.changes });
  if (rows === 0 && kind === 'other') return t('Done in {ms} ms', { ms });
  if (rows === 0 && kind === 'changes') {
    const isAdded = meta.changes > 0 && /\b(insert|replace)\b/i.test(statement);
    const added = isAdded ? ` · ${t('last row id {id}', { id: String(meta.last_row_id) })}` : '';
    return `${t('Done in {ms} ms', { ms })} · ${changed}${added}`;
  }
  const read = t('{rows|1 row|{rows} rows} in {ms} ms · {read} read', { rows, ms, read: meta.rows_read });
  return meta.changes > 0 ? `${read} · ${changed}` : read;
}
