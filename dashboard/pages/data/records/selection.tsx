import { t } from '../../../texts/index.ts';
import { Button } from '../../../ui/index.ts';
import type { Selected } from './bulk/run-bulk.ts';

interface Props {
  selected: Selected;
  /** How many records match the filter. */
  total: number;
  isFiltered: boolean;
  onSelectAll: () => void;
  onEdit: () => void;
  onDelete: () => void;
  onClear: () => void;
}

/** What is selected, and what can be done with it. */
export function SelectionBar({ selected, total, isFiltered, onSelectAll, onEdit, onDelete, onClear }: Props) {
  const count = selected.kind === 'ids' ? selected.ids.length : selected.total;
  if (count === 0) return null;
  return (
    <section class="data-selection" aria-label={t('Selection')}>
      <span role="status">
        {selected.kind === 'ids'
          ? t('{count|1 record selected|{count} records selected}', { count })
          : sayAll(count, isFiltered)}
      </span>
      {selected.kind === 'ids' && total > count && (
        <Button kind="bare" onClick={onSelectAll}>
          {isFiltered ? t('Select all {total} that match', { total }) : t('Select all {total}', { total })}
        </Button>
      )}
      <Button kind="quiet" onClick={onEdit}>
        {t('Edit a field')}
      </Button>
      <Button kind="danger" onClick={onDelete}>
        {t('Delete selected')}
      </Button>
      <Button kind="bare" onClick={onClear}>
        {t('Clear selection')}
      </Button>
    </section>
  );
}

const sayAll = (count: number, isFiltered: boolean) =>
  isFiltered
    ? t('All {count} records that match the filter are selected', { count })
    : t('All {count} records are selected', { count });
