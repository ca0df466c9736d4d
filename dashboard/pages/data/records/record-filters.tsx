import { useState } from 'preact/hooks';
import {
  ColumnsPanel,
  FilterChips,
  fromWhere,
  type GridColumn,
  type LayoutControls,
  NO_FILTER,
  toWhere,
} from '../../../grid/index.ts';
import { t } from '../../../texts/index.ts';
import { Button, Dialog, Form, TextField } from '../../../ui/index.ts';
import type { DataRecord } from '../api.ts';

interface Props {
  columns: Array<GridColumn<DataRecord>>;
  controls: LayoutControls;
  where: string | undefined;
  onApply: (where: string | undefined) => void;
  /** Why the service refused the filter. */
  error: string | undefined;
}

/** The filter of a list of records: chips, or JSON for what chips cannot express. */
export function RecordFilters({ columns, controls, where, onApply, error }: Props) {
  const [isJson, setJson] = useState(false);
  const filter = where === undefined ? NO_FILTER : fromWhere(where);
  return (
    <>
      {filter ? (
        <FilterChips
          columns={columns.filter(({ canFilter }) => canFilter)}
          filter={filter}
          isOpen
          onChange={(changed) => onApply(toWhere(changed))}
        >
          <ColumnsPanel {...{ columns, controls }} />
          <Button kind="bare" class="small filter-json" onClick={() => setJson(true)}>
            {t('Filter as JSON')}
          </Button>
          {filter.conditions.length > 0 && <ClearButton onClear={() => onApply(undefined)} />}
        </FilterChips>
      ) : (
        <div class="filters">
          <span class="chip">
            <button type="button" class="chip-words" onClick={() => setJson(true)}>
              <code>{where}</code>
            </button>
          </span>
          <ColumnsPanel {...{ columns, controls }} />
          <ClearButton onClear={() => onApply(undefined)} />
        </div>
      )}
      {error && (
        <p class="fault" role="alert">
          {error}
        </p>
      )}
      {isJson && <JsonDialog {...{ where, onApply }} onClose={() => setJson(false)} />}
    </>
  );
}

function ClearButton({ onClear }: { onClear: () => void }) {
  return (
    <Button kind="bare" class="small" onClick={onClear}>
      {t('Clear filter')}
    </Button>
  );
}

type JsonProps = Pick<Props, 'where' | 'onApply'> & { onClose: () => void };

function JsonDialog({ where, onApply, onClose }: JsonProps) {
  const [text, setText] = useState(() => (where === undefined ? '' : pretty(where)));
  const apply = async () => {
    const typed = text.trim();
    onApply(typed === '' ? undefined : compact(typed));
    onClose();
  };
  return (
    <Dialog title={t('Filter as JSON')} onClose={onClose}>
      <Form submit={t('Apply')} onSubmit={apply} onCancel={onClose}>
        <TextField
          label={t('Filter')}
          mono
          autofocus
          rows={6}
          value={text}
          onInput={setText}
          placeholder={'{ "done": false, "count": { "gte": 3 } }'}
          hint={t(
            'Operators: eq, ne, gt, gte, lt, lte, in, contains, exists. Combine filters with and, or and an array. Use dots for nested fields.',
          )}
        />
      </Form>
    </Dialog>
  );
}

const rewrite = (text: string, indent?: number) => {
  try {
    return JSON.stringify(JSON.parse(text), null, indent);
  } catch {
    // The service says what is wrong with it.
    return text;
  }
};
const pretty = (text: string) => rewrite(text, 2);
const compact = (text: string) => rewrite(text);
