import {
  ColumnsPanel,
  type ColumnType,
  type Condition,
  chooseTitle,
  type Filter,
  FilterChips,
  Grid,
  type GridColumn,
  type LayoutControls,
  type Sort,
} from '../../grid/index.ts';
import { t } from '../../texts/index.ts';
import type { ColumnInfo } from '../sqlite.ts';
import { rowEditing } from './cell-editing.ts';
import { CellValue } from './cell-value.tsx';
import { type CellRow, isNumeric, NULL, toText } from './cells.ts';
import type { RowSource } from './row-queries.ts';

const toColumnType = ({ type }: ColumnInfo): ColumnType => {
  if (isNumeric(type)) return 'number';
  return type === '' || /BLOB/i.test(type) ? 'any' : 'text';
};

/** So wide that a title of usual length is not cut. */
const fitTitle = (title: string) => Math.min(240, 60 + 9 * title.length);

/** The columns of a table, first the one that reads like a title, otherwise the key. */
export function toGridColumns({ columns }: RowSource, rows: CellRow[]): Array<GridColumn<CellRow>> {
  const title = chooseTitle(
    columns.map((column) => ({
      key: column.name,
      type: toColumnType(column),
      samples: rows.map(({ cells }) => readSample(cells[column.name] ?? NULL)),
    })),
  );
  const first = title ?? columns.find(({ isKey }) => isKey)?.name ?? columns[0]?.name;
  const inOrder = columns.toSorted((a, b) => Number(b.name === first) - Number(a.name === first));
  return inOrder.map((column) => ({
    ...{ key: column.name, title: column.name, type: toColumnType(column) },
    width: Math.max(toColumnType(column) === 'number' ? 90 : 180, fitTitle(column.name)),
    ...{ sortKey: column.name, canFilter: true, isAscendingFirst: true },
    ...(column.name === first && {
      ...{ isTitle: true, isFixed: true },
      width: toColumnType(column) === 'number' ? 140 : 260,
    }),
    cell: ({ cells }) => <CellValue cell={cells[column.name]} />,
  }));
}

const readSample = (cell: CellRow['cells'][string]) =>
  cell.kind === 'null' ? null : cell.kind === 'text' ? cell.text : 0;

interface FilterProps {
  columns: Array<GridColumn<CellRow>>;
  controls: LayoutControls;
  filter: Filter;
  onChange: (filter: Filter) => void;
}

export function RowFilters({ columns, controls, filter, onChange }: FilterProps) {
  return (
    <FilterChips {...{ columns, filter, onChange }}>
      <ColumnsPanel {...{ columns, controls }} />
    </FilterChips>
  );
}

interface TableProps {
  source: RowSource;
  columns: Array<GridColumn<CellRow>>;
  controls: LayoutControls;
  page: CellRow[];
  sort: Sort | undefined;
  isBusy: boolean;
  onSort: (sort: Sort | undefined) => void;
  onFilter: (condition: Condition) => void;
  onOpen: (row: CellRow) => void;
  onSaved: () => Promise<void>;
}

const MAX_NAME = 60;

export function RowTable({ source, columns, page, onOpen, onSaved, ...rest }: TableProps) {
  const title = columns.find(({ isTitle }) => isTitle)?.key ?? '';
  const numbers = new Map(page.map((row, at) => [row, at]));
  return (
    <div class="fn-rows">
      <Grid
        caption={t('Rows of {table}', { table: source.table.name })}
        {...{ columns, ...rest }}
        rows={page}
        getKey={(row) => row.id ?? numbers.get(row) ?? 0}
        getName={(row) => toText(row.cells[title] ?? NULL).slice(0, MAX_NAME) || (row.id ?? '')}
        {...(source.key && { onOpen, editing: rowEditing(source, onSaved) })}
      />
    </div>
  );
}
