import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Button, Empty, Failure, formatNumber, Select, TextField } from '../../ui/index.ts';
import { Entry, wordOf } from './entry.tsx';
import type { LogEntry } from './log-stream.ts';
import { useLog } from './use-log.ts';

const FILTERS = [
  ['all', 'Everything'],
  ['trouble', 'Warnings and errors'],
  ['exception', 'Exceptions'],
  ['console', 'Console'],
  ['call', 'Calls'],
  ['system', 'System'],
] as const;
type Filter = (typeof FILTERS)[number][0];

const CONNECTION = { connecting: 'Connecting…', live: 'Live', waiting: 'Connection lost. Reconnecting…' };

/** The log of a function, updated live. */
export function LogsPart({ slug }: { slug: string }) {
  const log = useLog(slug);
  const [filter, setFilter] = useState<Filter>('all');
  const [search, setSearch] = useState('');
  const shown = log.entries.filter((entry) => isShown(entry, filter, search.trim().toLowerCase()));

  if (log.refusal) return <Failure error={log.refusal} retry={log.restart} />;
  return (
    <section class="fn-logs" aria-label="Logs">
      <div class="fn-log-bar">
        <Select label="Show" hideLabel value={filter} options={FILTERS} onChange={setFilter} />
        <TextField
          label="Search the log"
          hideLabel
          type="search"
          placeholder="Search"
          value={search}
          onInput={setSearch}
        />
        <p class={`fn-connection ${log.isPaused ? 'paused' : log.connection}`} role="status">
          {log.isPaused ? `Paused, ${formatNumber(log.heldCount)} new` : CONNECTION[log.connection]}
        </p>
        <div class="actions">
          <Button kind="quiet" onClick={log.togglePause}>
            {log.isPaused ? 'Resume' : 'Pause'}
          </Button>
          <Button kind="quiet" onClick={log.clear} title="Clears this view. The log itself is not deleted.">
            Clear
          </Button>
        </div>
      </div>
      <Entries entries={shown} isEmpty={log.entries.length === 0} isWaiting={!log.hasConnected} />
      <p class="hint">
        Quire keeps the latest 1,000 entries. Calls and exceptions are logged automatically. To log more, use{' '}
        <code>console.log</code>.
      </p>
    </section>
  );
}

function isShown(entry: LogEntry, filter: Filter, words: string): boolean {
  if (filter === 'trouble' && entry.level !== 'error' && !entry.level.startsWith('warn')) return false;
  if (filter !== 'all' && filter !== 'trouble' && entry.kind !== filter) return false;
  return (
    words === '' || `${wordOf(entry)} ${entry.status ?? ''} ${entry.message}`.toLowerCase().includes(words)
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
    <div class="fn-log" ref={box} role="log" aria-label="Log entries" tabIndex={0}>
      {entries.length > 0 ? (
        <ol>
          {entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </ol>
      ) : isWaiting ? null : (
        <Empty title={isEmpty ? 'No entries yet' : 'No entries found'}>
          {isEmpty ? 'Call the function to see its log here.' : 'No entry matches your search.'}
        </Empty>
      )}
    </div>
  );
}
