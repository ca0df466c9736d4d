import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { rich, t } from '../../texts/index.ts';
import { Button, Empty, Failure, Select, TextField } from '../../ui/index.ts';
import { Entry, nameKind } from './entry.tsx';
import type { LogEntry } from './log-stream.ts';
import { useLog } from './use-log.ts';

const FILTERS = [
  ['all', t('Everything')],
  ['trouble', t('Warnings and errors')],
  ['exception', t('Exceptions')],
  ['console', t('Console')],
  ['call', t('Calls')],
  ['system', t('System')],
] as const;
type Filter = (typeof FILTERS)[number][0];

const CONNECTION = {
  connecting: t('Connecting…'),
  live: t('Live'),
  waiting: t('Connection lost. Reconnecting…'),
};

/** The log of a function, updated live. */
export function LogsPart({ slug }: { slug: string }) {
  const log = useLog(slug);
  const [filter, setFilter] = useState<Filter>('all');
  const [search, setSearch] = useState('');
  const shown = log.entries.filter((entry) => isShown(entry, filter, search.trim().toLowerCase()));

  if (log.refusal) return <Failure error={log.refusal} retry={log.restart} />;
  return (
    <section class="fn-logs" aria-label={t('Logs')}>
      <div class="fn-log-bar">
        <Select label={t('Show')} hideLabel value={filter} options={FILTERS} onChange={setFilter} />
        <TextField
          label={t('Search the log')}
          hideLabel
          type="search"
          placeholder={t('Search')}
          value={search}
          onInput={setSearch}
        />
        <p class={`fn-connection ${log.isPaused ? 'paused' : log.connection}`} role="status">
          {log.isPaused ? t('Paused, {count} new', { count: log.heldCount }) : CONNECTION[log.connection]}
        </p>
        <div class="actions">
          <Button kind="quiet" onClick={log.togglePause}>
            {log.isPaused ? t('Resume') : t('Pause')}
          </Button>
          <Button
            kind="quiet"
            onClick={log.clear}
            title={t('Clears this view. The log itself is not deleted.')}
          >
            {t('Clear')}
          </Button>
        </div>
      </div>
      <Entries entries={shown} isEmpty={log.entries.length === 0} isWaiting={!log.hasConnected} />
      <p class="hint">
        {rich(
          'Quire keeps the latest {max} entries. Calls and exceptions are logged automatically. To log more, use <code>console.log</code>.',
          { code: (text) => <code>{text}</code> },
          { max: 1_000 },
        )}
      </p>
    </section>
  );
}

function isShown(entry: LogEntry, filter: Filter, words: string): boolean {
  if (filter === 'trouble' && entry.level !== 'error' && !entry.level.startsWith('warn')) return false;
  if (filter !== 'all' && filter !== 'trouble' && entry.kind !== filter) return false;
  return (
    words === '' || `${nameKind(entry)} ${entry.status ?? ''} ${entry.message}`.toLowerCase().includes(words)
  );
}

/** Scrolls to the newest entry, unless the person has scrolled up. */
function Entries({
  entries,
  isEmpty,
  isWaiting,
}: {
  entries: LogEntry[];
  isEmpty: boolean;
  isWaiting: boolean;
}) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useLayoutEffect(() => {
    const element = box.current;
    if (element && isAtEnd.current) element.scrollTop = element.scrollHeight;
  }, [entries]);
  useEffect(() => {
    const element = box.current;
    const note = () => {
      if (element) isAtEnd.current = element.scrollHeight - element.scrollTop - element.clientHeight < 24;
    };
    element?.addEventListener('scroll', note, { passive: true });
    return () => element?.removeEventListener('scroll', note);
  }, []);

  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div class="fn-log" ref={box} role="log" aria-label={t('Log entries')} tabIndex={0}>
      {entries.length > 0 ? (
        <ol>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      ) : isWaiting ? null : (
        <Empty title={isEmpty ? t('No entries yet') : t('No entries found')}>
          {isEmpty ? t('Call the function to see its log here.') : t('No entry matches your search.')}
        </Empty>
      )}
    </div>
  );
}
