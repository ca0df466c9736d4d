import type { ComponentChildren } from 'preact';
import type { PageCheck } from '../../../contract/checks/page-check.ts';
import { Badge } from '../../ui/index.ts';

type GoTo = (line: number, column?: number) => void;

const LEVEL_KINDS = { error: 'bad', warning: 'warn' } as const;
const IMPACT_KINDS = { critical: 'bad', serious: 'bad', moderate: 'warn' } as const;
const kindOf = (kinds: Record<string, 'bad' | 'warn'>, name: string | null) => kinds[name ?? ''] ?? 'plain';

/** Errors, messages, failed requests and accessibility findings. */
export function Findings({ check, goTo }: { check: PageCheck; goTo: GoTo }) {
  const { errors, console, failedRequests, accessibility, notes } = check;
  const isClean = errors.length + console.length + failedRequests.length + accessibility.length === 0;
  return (
    <>
      {isClean && notes.length === 0 && (
        <p class="notice good">No errors, no failed requests, and no accessibility findings.</p>
      )}
      <List title="Errors" items={errors}>
        {({ message, line, column }) => (
          <>
            <Badge kind="bad">error</Badge> <span class="page-check-text">{message}</span>
            <Line line={line} column={column} goTo={goTo} />
          </>
        )}
      </List>
      <List title="Console" items={console}>
        {({ level, text, line }) => (
          <>
            <Badge kind={kindOf(LEVEL_KINDS, level)}>{level}</Badge>{' '}
            <span class="page-check-text">{text}</span>
            <Line line={line} goTo={goTo} />
          </>
        )}
      </List>
      <List title="Failed requests" items={failedRequests}>
        {({ url, status, reason }) => (
          <>
            <Badge kind="bad">{status || 'no response'}</Badge> <span class="page-check-text">{url}</span>
            {reason && <span class="hint"> {reason}</span>}
          </>
        )}
      </List>
      <List title="Accessibility" items={accessibility}>
        {({ impact, help, helpUrl, count, elements }) => (
          <>
            <Badge kind={kindOf(IMPACT_KINDS, impact)}>{impact ?? 'unknown'}</Badge>{' '}
            <a href={helpUrl} target="_blank" rel="noopener noreferrer">
              {help}
            </a>
            <code class="page-check-elements">
              {elements.join(', ')}
              {count > elements.length && ` and ${count - elements.length} more`}
            </code>
          </>
        )}
      </List>
      <List title="Notes" items={notes}>
        {(note) => <span class="page-check-text">{note}</span>}
      </List>
    </>
  );
}

function List<Item>({
  title,
  items,
  children,
}: {
  title: string;
  items: Item[];
  children: (item: Item) => ComponentChildren;
}) {
  if (items.length === 0) return null;
  return (
    <section class="page-check-list">
      <h3>
        {title} ({items.length})
      </h3>
      <ul>
        {items.map((item, index) => (
          <li key={index}>{children(item)}</li>
        ))}
      </ul>
    </section>
  );
}

/** Moves the cursor of the editor to the line. */
function Line({ line, column, goTo }: { line: number | undefined; column?: number | undefined; goTo: GoTo }) {
  if (line === undefined) return null;
  return (
    <button type="button" class="page-check-line" onClick={() => goTo(line, column)}>
      line {line}
    </button>
  );
}
