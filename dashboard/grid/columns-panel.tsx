import { t } from '../texts/index.ts';
import type { GridColumn } from './columns.ts';
import type { LayoutControls } from './layout.ts';
import { Popover } from './popover.tsx';

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: it does not read the rows
  columns: Array<GridColumn<any>>;
  controls: LayoutControls;
}

/** Chooses the columns of a table. */
export function ColumnsPanel({ columns, controls }: Props) {
  const choices = columns.filter(({ isFixed }) => !isFixed);
  const count = choices.filter((column) => !column.isOptional && !controls.isShown(column)).length;
  if (choices.length === 0) return null;
  return (
    <Popover
      label={t('Columns')}
      trigger={count === 0 ? t('Columns') : t('{count|1 column hidden|{count} columns hidden}', { count })}
      class="button quiet small"
    >
      {() => (
        <fieldset class="filter-choices">
          <legend>{t('Show these columns')}</legend>
          {choices.map((column) => (
            <label key={column.key}>
              <input
                type="checkbox"
                checked={controls.isShown(column)}
                onChange={(event) => controls.setShown(column, event.currentTarget.checked)}
              />
              {column.title}
            </label>
          ))}
          <button
            type="button"
            class="button bare small"
            disabled={count === 0}
            onClick={() => controls.showAll()}
          >
            {t('Show all')}
          </button>
        </fieldset>
      )}
    </Popover>
  );
}
