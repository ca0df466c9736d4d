import { t } from '../../texts/index.ts';
import { formatTime } from '../clock.ts';
import type { LogEntry } from './log-stream.ts';

/** The kind of an entry in one word. */
export function nameKind({ kind, level }: LogEntry): string {
  if (kind === 'console') return level;
  return kind;
}

const isTrouble = ({ kind, level }: LogEntry) => kind === 'exception' || level === 'error';

/** A log entry. The message may contain anything, so it is always shown as plain text. */
export function Entry({ entry, isOpen = false }: { entry: LogEntry; isOpen?: boolean }) {
  const tone = isTrouble(entry) ? 'bad' : entry.level === 'warn' || entry.level === 'warning' ? 'warn' : '';
  const [head, stack] = parts(entry.message);
  return (
    <li class={`fn-entry ${entry.kind} ${tone}`}>
      <time dateTime={entry.timestamp}>{formatTime(entry.timestamp)}</time>
      <span class="fn-word">{nameKind(entry)}</span>
      <div>
        {entry.kind === 'call' ? (
          <span>
            {entry.status} <span class="faint">{t('in {ms} ms', { ms: entry.durationMs ?? 0 })}</span>
            {head !== 'ok' && ` · ${head}`}
          </span>
        ) : (
          <span class="fn-message">{head}</span>
        )}
        {stack && (
          <details open={isOpen}>
            <summary>{t('Stack')}</summary>
            <pre>{stack}</pre>
          </details>
        )}
      </div>
    </li>
  );
}

/** Splits a message from the stack trace at its end. */
function parts(message: string): [head: string, stack?: string] {
  const at = message.search(/\n\s+at /);
  return at < 0 ? [message] : [message.slice(0, at), message.slice(at + 1)];
}
