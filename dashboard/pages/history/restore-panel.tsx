import { useState } from 'preact/hooks';
import { findStorageType } from '../../../contract/rules/storage-modes.ts';
import { t, translated } from '../../texts/index.ts';
import { Button, Dialog, Failure, Skeleton, useLoad } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { type MomentDetail, type Part, type RestoreChanges, tryRestore } from './api.ts';
import type { Restoring } from './use-restore.ts';
import { formatExact, sayDatabases, sayRecords } from './words.ts';

interface PanelProps {
  page: PageDetail;
  moment: MomentDetail;
  restoring: Restoring;
}

/** What the user may restore of a page that has it: functions and databases belong to the owner. */
function listParts({ role, storageMode }: PageDetail): Part[] {
  const type = findStorageType(storageMode);
  return [
    'page',
    ...(role === 'owner' ? (['functions', 'databases'] as const) : []),
    ...(type && type !== 'solo_data' ? (['records'] as const) : []),
  ];
}

/** What restoring a moment would change, with the parts to choose. */
export function RestorePanel({ page, moment, restoring }: PanelProps) {
  const parts = listParts(page);
  const tried = useLoad(
    (signal) => tryRestore(page.id, { at: moment.at, parts }, signal),
    [page.id, moment.at, page.versionCount, restoring.last?.finished_at],
  );
  if (tried.error) return <Failure error={tried.error} retry={tried.reload} />;
  if (!tried.value) return <Skeleton lines={4} />;
  return <Choices {...{ page, moment, restoring, parts }} changes={tried.value} />;
}

interface ChoicesProps extends PanelProps {
  parts: Part[];
  changes: RestoreChanges;
}

function Choices({ moment, restoring, parts, changes }: ChoicesProps) {
  const rows = describeParts(moment, changes).filter(({ part }) => parts.includes(part));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const [isAsking, setAsking] = useState(false);
  const toggle = (name: string) => {
    const next = new Set(left);
    if (!next.delete(name)) next.add(name);
    setLeft(next);
  };
  const collections = changes.collections.map(({ name }) => name);
  const wanted = collections.filter((name) => !left.has(`in ${name}`));
  const chosen = rows.filter(({ part }) => !left.has(part)).map(({ part }) => part);
  const isNothing = chosen.length === 0 || (chosen.length === 1 && chosen[0] === 'records' && isLess(wanted));
  function isLess(names: string[]): boolean {
    return collections.length > 0 && names.length === 0;
  }
  const start = () => {
    setAsking(false);
    void restoring.start({
      at: moment.at,
      parts: isLess(wanted) ? chosen.filter((part) => part !== 'records') : chosen,
      ...(wanted.length < collections.length && { collections: wanted }),
    });
  };
  return (
    <fieldset class="restore-parts">
      <legend>{t('What is restored')}</legend>
      <Rows {...{ rows, left, changes }} onToggle={toggle} />
      <NotRestored parts={changes.not_restored} />
      <div class="actions">
        <Button icon="history" disabled={isNothing || restoring.isRunning} onClick={() => setAsking(true)}>
          {t('Restore')}
        </Button>
        <p class="hint">
          {t('Who can see the page, its addresses, team, secrets and messages stay as they are.')}
        </p>
      </div>
      {isAsking && (
        <RestoreDialog
          at={moment.at}
          rows={rows.filter(({ part, text }) => text && chosen.includes(part))}
          onRestore={start}
          onClose={() => setAsking(false)}
        />
      )}
    </fieldset>
  );
}

interface RowsProps {
  rows: DescribedPart[];
  left: ReadonlySet<string>;
  changes: RestoreChanges;
  onToggle: (name: string) => void;
}

function Rows({ rows, left, changes, onToggle }: RowsProps) {
  return (
    <>
      {rows.map(({ part, label, text }) => (
        <div key={part} class="restore-part">
          <label>
            <input type="checkbox" checked={!left.has(part)} onChange={() => onToggle(part)} />
            <strong>{label}</strong>
            <span class={text ? '' : 'faint'}>{text || t('Nothing changes')}</span>
          </label>
          {part === 'records' && !left.has(part) && (
            <Collections changes={changes} left={left} onToggle={onToggle} />
          )}
        </div>
      ))}
    </>
  );
}

interface RestoreDialogProps {
  at: string;
  rows: DescribedPart[];
  onRestore: () => void;
  onClose: () => void;
}

function RestoreDialog({ at, rows, onRestore, onClose }: RestoreDialogProps) {
  return (
    <Dialog title={t('Go back to {moment}?', { moment: formatExact(at) })} onClose={onClose}>
      <p>
        {t(
          'The change is for everybody and takes a few seconds. Nothing is lost: you can undo it afterwards.',
        )}
      </p>
      <ul class="restore-chosen">
        {rows.map(({ part, label, text }) => (
          <li key={part}>
            <strong>{label}</strong> <span class="hint">{text}</span>
          </li>
        ))}
      </ul>
      <div class="actions">
        <Button onClick={onRestore}>{t('Restore')}</Button>
        <Button kind="quiet" onClick={onClose}>
          {t('Cancel')}
        </Button>
      </div>
    </Dialog>
  );
}

interface DescribedPart {
  part: Part;
  label: string;
  text: string;
}

/** The parts that there are, each with what changes in it. */
function describeParts(moment: MomentDetail, changes: RestoreChanges): DescribedPart[] {
  const { page_version, settings, functions, made_again, databases } = changes;
  const earlier = functions.filter(({ slug }) => !made_again.includes(slug)).map(({ slug }) => slug);
  const version = String(moment.page_version);
  const page =
    page_version !== undefined
      ? settings
        ? t('Text and files of version {version}, and its settings', { version })
        : t('Text and files of version {version}', { version })
      : settings
        ? t('Its settings')
        : '';
  const code = [
    earlier.length > 0 && t('Earlier code of {names}', { names: earlier.join(', ') }),
    made_again.length > 0 &&
      t('Creates {names} again, without its secrets: enter them again', { names: made_again.join(', ') }),
  ].filter((part) => part !== false);
  return [
    { part: 'page', label: t('Page'), text: page },
    ...(moment.functions.length + functions.length > 0
      ? [{ part: 'functions' as const, label: t('Functions'), text: code.join('. ') }]
      : []),
    ...(moment.databases.length + databases.length > 0
      ? [
          {
            part: 'databases' as const,
            label: t('Databases'),
            text: sayDatabases(changes),
          },
        ]
      : []),
    { part: 'records', label: t('Records'), text: sayRecords(changes) },
  ];
}

interface CollectionsProps {
  changes: RestoreChanges;
  left: ReadonlySet<string>;
  onToggle: (name: string) => void;
}

function Collections({ changes: { collections }, left, onToggle }: CollectionsProps) {
  if (collections.length < 2) return null;
  return (
    <ul class="restore-collections">
      {collections.map(({ name, ...numbers }) => (
        <li key={name}>
          <label>
            <input
              type="checkbox"
              checked={!left.has(`in ${name}`)}
              onChange={() => onToggle(`in ${name}`)}
            />
            <span>{name}</span>
            <span class="hint">{sayRecords(numbers)}</span>
          </label>
        </li>
      ))}
    </ul>
  );
}

/** What cannot come back, and why. */
export function NotRestored({ parts }: { parts: RestoreChanges['not_restored'] }) {
  if (parts.length === 0) return null;
  const labels = {
    page: t('Page'),
    functions: t('Functions'),
    databases: t('Databases'),
    records: t('Records'),
  };
  return (
    <div class="notice warn">
      <ul>
        {parts.map(({ part, name, sentence, values }) => (
          <li key={`${part} ${name}`}>
            <strong>{name || labels[part]}: </strong>
            {translated({ text: sentence, values })}
          </li>
        ))}
      </ul>
    </div>
  );
}
