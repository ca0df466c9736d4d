import { useEffect, useRef, useState } from 'preact/hooks';
import { MAX_LOG_ENTRIES } from '../../../contract/rules/limits.ts';
import { type Connection, followLogs, type LogEntry } from './log-stream.ts';

/** Follows the log of a function while the component is mounted. */
export function useLog(slug: string) {
  const [entries, setEntries] = useState<LogEntry[]>([]);
  const [connection, setConnection] = useState<Connection>('connecting');
  const [hasConnected, setConnected] = useState(false);
  const [refusal, setRefusal] = useState<Error>();
  const [isPaused, setPaused] = useState(false);
  const [heldCount, setHeldCount] = useState(0);
  const [attempt, setAttempt] = useState(0);
  /** Entries that arrive while the log is paused. */
  const held = useRef<LogEntry[] | undefined>(undefined);

  useEffect(() => {
    setEntries([]);
    setRefusal(undefined);
    return followLogs(slug, {
      onEntries(fresh) {
        if (!held.current) return setEntries((before) => join(before, fresh));
        held.current = join(held.current, fresh);
        setHeldCount((count) => count + fresh.length);
      },
      onConnection(now) {
        setConnection(now);
        if (now === 'live') setConnected(true);
      },
      onRefused: setRefusal,
    });
  }, [slug, attempt]);

  const togglePause = () => {
    const waiting = held.current;
    if (waiting) setEntries((before) => join(before, waiting));
    held.current = waiting ? undefined : [];
    setHeldCount(0);
    setPaused(!waiting);
  };

  return {
    entries,
    connection,
    hasConnected,
    refusal,
    isPaused,
    heldCount,
    togglePause,
    clear: () => setEntries([]),
    restart: () => setAttempt((count) => count + 1),
  };
}

const join = (before: LogEntry[], fresh: LogEntry[]) => [...before, ...fresh].slice(-MAX_LOG_ENTRIES);
