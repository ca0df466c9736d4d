import type { ComponentChildren } from 'preact';
import type { AccessibilityFinding, ConsoleMessage, PageCheck } from '../../../contract/checks/page-check.ts';
import { t } from '../../texts/index.ts';
import { Badge } from '../../ui/index.ts';

type GoTo = (line: number, column?: number) => void;

const LEVEL_KINDS = { error: 'bad', warning: 'warn' } as const;
const IMPACT_KINDS = { critical: 'bad', serious: 'bad', moderate: 'warn' } as const;
const LEVEL_NAMES: Record<ConsoleMessage['level'], string> = {
  debug: t('debug'),
  log: t('log'),
  info: t('info'),
  warning: t('warning'),
  error: t('error'),
};
const IMPACT_NAMES: Record<NonNullable<AccessibilityFinding['impact']>, string> = {
  minor: t('minor'),
  moderate: t('moderate'),
  serious: t('serious'),
  critical: t('critical'),
};
const chooseKind = (kinds: Record<string, 'bad' | 'warn'>, name: string | null) =>
  kinds[name ?? ''] ?? 'plain';

/** Errors, messages, failed requests and accessibility findings. */
export function Findings({ check, goTo }: { check: PageCheck; goTo: GoTo }) {
  const { errors, console, failedRequests, accessibility, notes } = check;
  const isClean = errors.length + console.length + failedRequests.length + accessibility.length === 0;
  return (
    <>
      {isClean && notes.length === 0 && (
        <p class="notice good">{t('No errors, no failed requests, and no accessibility findings.')}</p>
      )}
      <List title={t('Errors')} items={errors}>
        {({ message, line, column }) => (
          <>
            <Badge kind="bad">{LEVEL_NAMES.error}</Badge> <span class="page-check-text">{message}</span>
            <Line line={line} column={column} goTo={goTo} />
          </>
        )}
      </List>
      <List title={t('Console')} items={console}>
        {({ level, text, line }) => (
          <>
            <Badge kind={chooseKind(LEVEL_KINDS, level)}>{LEVEL_NAMES[level]}</Badge>{' '}
            <span class="page-check-text">{text}</span>
            <Line line={line} goTo={goTo} />
          </>
        )}
      </List>
      <List title={t('Failed requests')} items={failedRequests}>
        {({ url, status, reason, text }) => (
          <>
            <Badge kind="bad">{status || t('no response')}</Badge> <span class="page-check-text">{url}</span>
            {(reason ?? text) && <span class="hint page-check-text"> {reason ?? text}</span>}
          </>
        )}
      </List>
      <List title={t('Accessibility')} items={accessibility}>
        {({ impact, help, helpUrl, count, elements }) => (
          <>
            <Badge kind={chooseKind(IMPACT_KINDS, impact)}>
              {impact ? IMPACT_NAMES[impact] : t('unknown')}
            </Badge>{' '}
            <a href={helpUrl} target="_blank" rel="noopener noreferrer">
              {help}
            </a>
            <code class="page-check-elements">{sayElements(elements, count)}</code>
          </>
        )}
      </List>
      <List title={t('Notes')} items={notes}>
        {(note) => <span class="page-check-text">{note}</span>}
      </List>
    </>
  );
}

/** The first elements of a finding, and how many more there are. */
function sayElements(elements: string[], count: number): string {
  const names = elements.join(', ');
  const more = count - elements.length;
  return more > 0 ? t('{names} and {more} more', { names, more }) : names;
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
      {t('line {line}', { line: String(line) })}
    </button>
  );
}
