import { useState } from 'preact/hooks';
import { t } from '../../../texts/index.ts';
import { Button, Choice, formatNumber, Icon } from '../../../ui/index.ts';
import type { ConsoleEntry, PreviewConsole } from './console.ts';
import type { Level } from './reports.ts';

type Filter = 'all' | 'errors' | 'warnings';

const FILTERS: Record<Filter, readonly Level[] | undefined> = {
  all: undefined,
  errors: ['error', 'request'],
  warnings: ['warn'],
};

interface StripProps {
  console: PreviewConsole;
  goTo: (path: string, line: number, column?: number) => void;
}

/** The messages and errors of the previewed page. Each leads to its line. */
export function ConsoleStrip({ console, goTo }: StripProps) {
  const [isOpen, setOpen] = useState(false);
  const [filter, setFilter] = useState<Filter>('all');
  const entries = console.entries.value;
  const errors = count(entries, FILTERS.errors);
  const warnings = count(entries, FILTERS.warnings);
  const shown = entries.filter(({ level }) => FILTERS[filter]?.includes(level) ?? true);
  return (
    <section class={`page-console ${isOpen ? 'open' : ''}`} aria-label={t('Console')}>
      <header>
        <button type="button" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          <Icon name={isOpen ? 'chevron-down' : 'chevron-up'} size={15} />
          {t('Console')}
          <span class="page-console-counts" role="status">
            {errors > 0 && (
              <span class="badge bad">{t('{count|1 error|{count} errors}', { count: errors })}</span>
            )}
            {warnings > 0 && (
              <span class="badge warn">{t('{count|1 warning|{count} warnings}', { count: warnings })}</span>
            )}
          </span>
        </button>
        {isOpen && (
          <div class="actions">
            <Choice<Filter>
              label={t('Messages')}
              value={filter}
              options={[
                ['all', t('All')],
                ['errors', t('Errors')],
                ['warnings', t('Warnings')],
              ]}
              onChoose={setFilter}
            />
            <Button kind="bare" onClick={console.clear}>
              {t('Clear')}
            </Button>
          </div>
        )}
      </header>
      {isOpen && <List entries={shown} goTo={goTo} />}
    </section>
  );
}

function List({ entries, goTo }: { entries: readonly ConsoleEntry[]; goTo: StripProps['goTo'] }) {
  if (entries.length === 0) return <p class="hint page-console-empty">{t('No messages.')}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
    <ol tabIndex={0} aria-label={t('Messages of the page')}>
      {entries.map((entry, index) => (
        <li key={index} class={entry.level}>
          <span class="page-console-text">{entry.text}</span>
          {entry.count > 1 && <span class="badge plain">{formatNumber(entry.count)}</span>}
          <Place entry={entry} goTo={goTo} />
        </li>
      ))}
    </ol>
  );
}

function Place({ entry: { path, line, column }, goTo }: { entry: ConsoleEntry; goTo: StripProps['goTo'] }) {
  if (path === undefined || line === undefined) return null;
  return (
    <button type="button" onClick={() => goTo(path, line, column)}>
      {`${path}:${line}`}
    </button>
  );
}

const count = (entries: readonly ConsoleEntry[], levels: readonly Level[] | undefined) =>
  entries.reduce((sum, entry) => sum + (levels?.includes(entry.level) ? entry.count : 0), 0);
