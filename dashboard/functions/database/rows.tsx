import { useState } from 'preact/hooks';
import {
  Button,
  type Column,
  Dialog,
  Failure,
  Form,
  Pager,
  Show,
  say,
  Table,
  useLoad,
} from '../../ui/index.ts';
import type { Row } from '../api.ts';
import { RowDialog } from './row-dialog.tsx';
import {
  type ColumnInfo,
  deleteRow,
  listColumns,
  PAGE_ROWS,
  type RowKey,
  readRows,
  rowKeyOf,
  type Sorting,
  type TableInfo,
} from './sqlite.ts';
import { Value } from './value.tsx';

interface RowsViewProps {
  slug: string;
  table: TableInfo;
  onChange: () => Promise<void>;
}

/** The rows of a table, page by page. Rows with a rowid can be edited and deleted. */
export function RowsView({ slug, table, onChange }: RowsViewProps) {
  const [editing, setEditing] = useState<Row>();
  const [deleting, setDeleting] = useState<Row>();
  const { loaded, offset, setOffset, sorting, sortBy } = useRows(slug, table);
  const refresh = async () => {
    setEditing(undefined);
    setDeleting(undefined);
    await Promise.all([loaded.reload(), onChange()]);
  };

  return (
    <Show loaded={loaded}>
      {({ columns, key, rows }) => (
        <>
          {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
          <RowTable
            table={table}
            columns={columns}
            rows={rows}
            sorting={sorting}
            sortBy={sortBy}
            {...(key && { onEdit: setEditing, onDelete: setDeleting })}
          />
          <Pager
            {...{ offset, limit: PAGE_ROWS, total: table.rowCount }}
            shown={rows.length}
            onMove={setOffset}
          />
          {!key && <p class="hint">This table has no rowid. To edit its rows, use the SQL tab.</p>}
          {editing && key && (
            <RowDialog
              {...{ slug, table, columns }}
              rowKey={key}
              row={editing}
              onClose={() => setEditing(undefined)}
              onSaved={refresh}
            />
          )}
          {deleting && key && (
            <DeleteDialog
              {...{ slug, table }}
              rowKey={key}
              row={deleting}
              onClose={() => setDeleting(undefined)}
              onDeleted={refresh}
            />
          )}
        </>
      )}
    </Show>
  );
}

/** One page of the rows, sorted. */
function useRows(slug: string, table: TableInfo) {
  const [offset, setOffset] = useState(0);
  const [sorting, setSorting] = useState<Sorting>();
  const loaded = useLoad(
    async (signal) => {
      const columns = await listColumns(slug, table.name, signal);
      const key = rowKeyOf(table, columns);
      return { columns, key, rows: await readRows(slug, table, key, { offset, sorting }, signal) };
    },
    [slug, table.name, offset, sorting],
  );
  const sortBy = (column: string) => {
    setOffset(0);
    setSorting((before) => ({
      column,
      direction: before?.column === column && before.direction === 'ascending' ? 'descending' : 'ascending',
    }));
  };
  return { loaded, offset, setOffset, sorting, sortBy };
}

interface DeleteProps {
  slug: string;
  table: TableInfo;
  rowKey: RowKey;
  row: Row;
  onClose: () => void;
  onDeleted: () => Promise<void>;
}

function DeleteDialog({ slug, table, rowKey, row, onClose, onDeleted }: DeleteProps) {
  const remove = async () => {
    await deleteRow(slug, table.name, rowKey, row[rowKey.field]);
    say('Row deleted.');
    await onDeleted();
  };
  return (
    <Dialog title="Delete this row?" onClose={onClose}>
      <p>
        You cannot restore row {String(row[rowKey.field])} of {table.name}.
      </p>
      <Form submit="Delete row" onSubmit={remove} onCancel={onClose}>
        {null}
      </Form>
    </Dialog>
  );
}

interface RowTableProps {
  table: TableInfo;
  columns: ColumnInfo[];
  rows: Row[];
  sorting: Sorting | undefined;
  sortBy: (column: string) => void;
  onEdit?: (row: Row) => void;
  onDelete?: (row: Row) => void;
}

function RowTable({ table, columns, rows, sorting, sortBy, onEdit, onDelete }: RowTableProps) {
  const cells: Array<Column<Row>> = columns.map(({ name }) => ({
    title: name,
    cell: (row) => <Value value={row[name]} />,
    onSort: () => sortBy(name),
    sorted: sorting?.column === name ? sorting.direction : undefined,
  }));
  const changes: Array<Column<Row>> =
    onEdit && onDelete
      ? [
          {
            title: freeTitle(columns),
            cell: (row) => (
              <span class="fn-row-actions">
                <Button kind="bare" onClick={() => onEdit(row)}>
                  Edit
                </Button>
                <Button kind="bare" onClick={() => onDelete(row)}>
                  Delete
                </Button>
              </span>
            ),
          },
        ]
      : [];
  const numbers = new Map(rows.map((row, i) => [row, i]));
  return (
    <div class={`fn-rows ${onEdit ? 'fn-editable' : ''}`}>
      <Table
        caption={`Rows of ${table.name}`}
        rows={rows}
        keyOf={(row) => numbers.get(row) ?? 0}
        columns={[...cells, ...changes]}
      />
    </div>
  );
}

/** A title that differs from all column names. */
function freeTitle(columns: ColumnInfo[]): string {
  let title = 'Actions';
  while (columns.some(({ name }) => name === title)) title += ' ';
  return title;
}
