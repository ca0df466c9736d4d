import type { ComponentChildren } from 'preact';
import { t } from '../../../texts/index.ts';
import { Section } from '../../../ui/index.ts';
import type { Merge } from './use-merge.ts';

/** Records and rows are merged only where somebody wants that, and data is removed only if somebody confirms it. */
export function Options({ merge }: { merge: Merge }) {
  const { found, trial, wish, change, refusal } = merge;
  const changed = found?.groups.filter(({ branch }) => branch > 0) ?? [];
  const records = changed.filter(({ kind }) => kind === 'record');
  const tables = changed.filter(({ kind }) => kind === 'row');
  const removed = trial?.needs_confirm ?? [];
  // What did not work on a copy can be merged all the same.
  const hasFailed = refusal !== undefined && removed.length === 0;
  if (records.length + tables.length + removed.length === 0 && !hasFailed) return null;
  const count = records.reduce((sum, { branch }) => sum + branch, 0);
  const toggle = (name: string) =>
    change({
      tables: wish.tables.includes(name)
        ? wish.tables.filter((each) => each !== name)
        : [...wish.tables, name],
    });
  return (
    <Section
      title={t('Data')}
      hint={t('What was tried on the branch is often only for trying. Tick what the page should get.')}
    >
      <div class="branch-options">
        {records.length > 0 && (
          <Tick checked={wish.records} onChange={() => change({ records: !wish.records })}>
            <strong>{t('Records')}</strong>{' '}
            <span class="hint">
              {t('{count|1 change|{count} changes} in {names}', {
                count,
                names: records.map(({ name }) => toCollection(name)).join(', '),
              })}
            </span>
          </Tick>
        )}
        {tables.map(({ name, branch }) => (
          <Tick key={name} checked={wish.tables.includes(name)} onChange={() => toggle(name)}>
            <strong>{t('Rows of {table}', { table: name })}</strong>{' '}
            <span class="hint">{t('{count|1 change|{count} changes}', { count: branch })}</span>
          </Tick>
        ))}
        {removed.length > 0 && (
          <Tick checked={wish.confirm} onChange={() => change({ confirm: !wish.confirm })}>
            <strong>{t('Remove columns or tables with what is in them')}</strong>{' '}
            <span class="hint">{removed.map(toTable).join(', ')}</span>
          </Tick>
        )}
        {hasFailed && (
          <Tick checked={wish.confirm} onChange={() => change({ confirm: !wish.confirm })}>
            <strong>{t('Merge although it failed on a copy')}</strong>
          </Tick>
        )}
      </div>
    </Section>
  );
}

/** `social/posts` is the collection `posts`. */
const toCollection = (name: string) => name.slice(name.indexOf('/') + 1);
/** `databases/order/schema/tables/people/columns/age` is `order/people/age`. */
const toTable = (path: string) =>
  decodeURIComponent(
    path
      .replace(/^databases\//, '')
      .replace('/schema/tables/', '/')
      .replace('/columns/', '/'),
  );

interface TickProps {
  checked: boolean;
  onChange: () => void;
  children: ComponentChildren;
}

function Tick({ checked, onChange, children }: TickProps) {
  return (
    <label>
      <input type="checkbox" checked={checked} onChange={onChange} />
      <span>{children}</span>
    </label>
  );
}
