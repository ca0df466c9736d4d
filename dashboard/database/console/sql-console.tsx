import { CodeEditor } from '../../editor/index.tsx';
import { t } from '../../texts/index.ts';
import { Ask, Button, useLoad } from '../../ui/index.ts';
import { tableColumns } from '../sqlite.ts';
import { Results } from './results.tsx';
import { SavedQueries } from './saved-queries.tsx';
import { useConsole } from './use-console.ts';

/** A console that runs SQL statements, one after the other. */
export function SqlConsole({ slug }: { slug: string }) {
  const sql = useConsole(slug);
  const tables = useLoad((signal) => tableColumns(slug, signal).catch(() => ({})), [slug]);
  return (
    <section class="fn-sql" aria-label={t('SQL console')}>
      <div class="fn-sql-main">
        {/* The names of tables are known before the editor starts, so that it can complete them. */}
        {tables.value ? (
          <CodeEditor
            label="SQL"
            language="sql"
            text={sql.text}
            tables={tables.value}
            onChange={sql.change}
            onRun={sql.run}
            onReady={sql.attach}
          />
        ) : (
          <div class="code-editor" />
        )}
        <RunBar sql={sql} />
      </div>
      <aside>
        <SavedQueries slug={slug} text={sql.text} onPick={sql.pick} />
        {sql.history.length > 0 && (
          <History statements={sql.history} onPick={sql.pick} onClear={sql.clearHistory} />
        )}
      </aside>
      <div class="fn-results">
        <Results outcomes={sql.outcomes} />
      </div>
      {sql.asking && (
        <Ask
          title={t('{count|Run this statement?|Run these statements?}', { count: sql.asking.chosen.length })}
          submit={t('Run')}
          onConfirm={sql.confirm}
          onClose={sql.cancel}
        >
          {[...new Set(sql.asking.warnings)].map((warning) => (
            <span key={warning} class="fn-warning">
              {warning}
            </span>
          ))}
        </Ask>
      )}
    </section>
  );
}

function RunBar({ sql }: { sql: ReturnType<typeof useConsole> }) {
  const isEmpty = sql.isRunning || sql.text.trim() === '';
  return (
    <div class="fn-bar">
      <p class="hint">{t('SQLite statements, separated by semicolons. Press Ctrl-Enter to run them.')}</p>
      <div class="actions">
        {sql.count > 1 && (
          <Button kind="quiet" onClick={sql.runCurrent} disabled={isEmpty}>
            {t('Run current')}
          </Button>
        )}
        <Button
          onClick={sql.run}
          disabled={isEmpty}
          title={t('Ctrl-Enter or ⌘↵: what is selected, or everything')}
        >
          {t('Run')}
        </Button>
      </div>
    </div>
  );
}

interface HistoryProps {
  statements: string[];
  onPick: (sql: string) => void;
  onClear: () => void;
}

function History({ statements, onPick, onClear }: HistoryProps) {
  return (
    <details class="fn-history">
      <summary>
        {t('{count|History, 1 statement|History, {count} statements}', { count: statements.length })}
      </summary>
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
        {t('Clear history')}
      </Button>
    </details>
  );
}
