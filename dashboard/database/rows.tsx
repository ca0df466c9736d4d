import { useState } from 'preact/hooks';
import {
  ColumnsPanel,
  type ColumnType,
  type Condition,
  type Filter,
  FilterChips,
  Grid,
  type GridColumn,
  NO_FILTER,
  type Sort,
  useLayout,
} from '../grid/index.ts';
import { t } from '../texts/index.ts';
import { Button, Dialog, Empty, Failure, Form, Icon, Pager, Show, say, useLoad } from '../ui/index.ts';
import { CellValue } from './cell-value.tsx';
import type { CellRow } from './cells.ts';
import { RowDialog } from './row-dialog.tsx';
import {
  type ColumnInfo,
  chooseRowKey,
  deleteRow,
  listColumns,
  PAGE_ROWS,
  type RowKey,
  readRows,
  type TableInfo,
} from './sqlite.ts';

interface RowsViewProps {
  slug: string;
  table: TableInfo;
  onChange: () => Promise<void>;
}

/** The rows of a table, page by page. Rows with a rowid can be edited and deleted. */
export function RowsView({ slug, table, onChange }: RowsViewProps) {
  const rows = useRows(slug, table);
  const { loaded } = rows;
  const [opened, setOpened] = useState<Opened>();
  const refresh = async () => {
    setOpened(undefined);
    await Promise.all([loaded.reload(), onChange()]);
  };
  return (
    <Show loaded={loaded}>
      {({ columns, key, page }) => (
        <>
          {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
          <RowTable
            {...{ slug, table, columns, rows }}
            page={page.rows}
            canEdit={Boolean(key)}
            onOpen={setOpened}
          />
          <Pager
            {...{ offset: rows.offset, limit: PAGE_ROWS, total: page.total }}
            shown={page.rows.length}
            anyPage
            onMove={rows.setOffset}
          />
          {!key && table.type === 'table' && (
            <p class="hint">{t('This table has no rowid. To edit its rows, use the SQL tab.')}</p>
          )}
          <OpenDialog
            {...{ slug, table, columns, opened }}
            rowKey={key}
            onClose={() => setOpened(undefined)}
            onDone={refresh}
          />
        </>
      )}
    </Show>
  );
}

type Opened = { kind: 'insert' } | { kind: 'edit' | 'delete'; row: CellRow };

/** One page of the rows, filtered and sorted. */
function useRows(slug: string, table: TableInfo) {
  const [offset, setOffset] = useState(0);
  const [sort, setSort] = useState<Sort>();
  const [filter, setFilter] = useState<Filter>(NO_FILTER);
  const loaded = useLoad(
    async (signal) => {
      const columns = await listColumns(slug, table.name, signal);
      const key = chooseRowKey(table, columns);
      return {
        columns,
        key,
        page: await readRows(slug, table, { columns, key }, { offset, sort, filter }, signal),
      };
    },
    [slug, table.name, table.rowCount, offset, sort, filter],
  );
  return {
    ...{ loaded, offset, setOffset, sort, filter },
    sortBy(next: Sort | undefined) {
      setOffset(0);
      setSort(next);
    },
    filterBy(next: Filter) {
      setOffset(0);
      setFilter(next);
    },
  };
}

type Rows = ReturnType<typeof useRows>;

const toColumnType = ({ type }: ColumnInfo): ColumnType => {
  if (/INT|REAL|FLOA|DOUB|NUM|DEC/i.test(type)) return 'number';
  return type === '' || /BLOB/i.test(type) ? 'any' : 'text';
};

/** So wide that a title of usual length is not cut. */
const widthOfTitle = (title: string) => Math.min(240, 60 + 9 * title.length);

interface RowTableProps {
  slug: string;
  table: TableInfo;
  columns: ColumnInfo[];
  rows: Rows;
  page: CellRow[];
  canEdit: boolean;
  onOpen: (opened: Opened) => void;
}

function RowTable({ slug, table, columns, rows, page, canEdit, onOpen }: RowTableProps) {
  const controls = useLayout(`sql.${slug}.${table.name}`);
  const shown: Array<GridColumn<CellRow>> = columns.map((column) => ({
    ...{
      key: column.name,
      title: column.name,
      type: toColumnType(column),
      width: Math.max(toColumnType(column) === 'number' ? 90 : 160, widthOfTitle(column.name)),
      sortKey: column.name,
      canFilter: true,
      isAscendingFirst: true,
    },
    cell: ({ cells }) => <CellValue cell={cells[column.name]} />,
  }));
  const { filter } = rows;
  const add = (condition: Condition) =>
    rows.filterBy({ ...filter, conditions: [...filter.conditions, condition] });
  const numbers = new Map(page.map((row, at) => [row, at]));
  return (
    <>
      <div class="data-bar">
        <FilterChips columns={shown} filter={filter} onChange={rows.filterBy}>
          <ColumnsPanel columns={shown} controls={controls} />
        </FilterChips>
        {table.type === 'table' && (
          <Button onClick={() => onOpen({ kind: 'insert' })}>{t('Insert row')}</Button>
        )}
      </div>
      {page.length === 0 ? (
        <Empty title={filter.conditions.length > 0 ? t('No rows found') : t('No rows yet')}>
          {filter.conditions.length > 0
            ? t('No row matches the filter.')
            : t('Insert one here, or in your code.')}
        </Empty>
      ) : (
        <div class="fn-rows">
          <Grid
            caption={t('Rows of {table}', { table: table.name })}
            columns={shown}
            rows={page}
            getKey={(row) => row.id ?? numbers.get(row) ?? 0}
            {...{ controls, sort: rows.sort, onSort: rows.sortBy, onFilter: add }}
            {...(canEdit && { actions: (row: CellRow) => <RowActions row={row} onOpen={onOpen} /> })}
          />
        </div>
      )}
    </>
  );
}

function RowActions({ row, onOpen }: { row: CellRow; onOpen: (opened: Opened) => void }) {
  return (
    <span>
      <Button kind="bare" label={t('Edit')} tip={t('Edit')} onClick={() => onOpen({ kind: 'edit', row })}>
        <Icon name="edit" size={18} />
      </Button>
      <Button
        kind="bare"
        label={t('Delete')}
        tip={t('Delete')}
        onClick={() => onOpen({ kind: 'delete', row })}
      >
        <Icon name="trash" size={18} />
      </Button>
    </span>
  );
}

interface DialogProps {
  slug: string;
  table: TableInfo;
  columns: ColumnInfo[];
  rowKey: RowKey | undefined;
  opened: Opened | undefined;
  onClose: () => void;
  onDone: () => Promise<void>;
}

function OpenDialog({ slug, table, columns, rowKey, opened, onClose, onDone }: DialogProps) {
  if (!opened) return null;
  if (opened.kind === 'insert')
    return <RowDialog {...{ slug, table, columns, rowKey, onClose }} row={undefined} onSaved={onDone} />;
  const { row } = opened;
  const { id } = row;
  if (!rowKey || id === undefined) return null;
  if (opened.kind === 'edit')
    return <RowDialog {...{ slug, table, columns, rowKey, row, onClose }} onSaved={onDone} />;
  const remove = async () => {
    await deleteRow(slug, table.name, rowKey, id);
    say(t('Row deleted.'));
    await onDone();
  };
  return (
    <Dialog title={t('Delete this row?')} onClose={onClose}>
      <p>{t('You cannot restore row {id} of {table}.', { id, table: table.name })}</p>
      <Form submit={t('Delete row')} onSubmit={remove} onCancel={onClose}>
        {null}
      </Form>
    </Dialog>
  );
}
