import { useState } from 'preact/hooks';
import {
  Button,
  type Column,
  Dialog,
  Failure,
  Form,
  formatNumber,
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
  readRows,
  rowKeyOf,
  type Sorting,
  type TableInfo,
} from './sqlite.ts';
import { Value } from './value.tsx';

/** The rows of a table, a page at a time; each can be changed where SQLite can tell it from the others. */
export function RowsView({
  slug,
  table,
  onChange,
}: {
  slug: string;
  table: TableInfo;
  onChange: () => Promise<void>;
}) {
  const [page, setPage] = useState(0);
  const [sorting, setSorting] = useState<Sorting>();
  const [editing, setEditing] = useState<Row>();
  const [deleting, setDeleting] = useState<Row>();
  const loaded = useLoad(
    async (signal) => {
      const columns = await listColumns(slug, table.name, signal);
      const key = rowKeyOf(table, columns);
      return { columns, key, rows: await readRows(slug, table, key, { page, sorting }, signal) };
    },
    [slug, table.name, page, sorting],
  );
  const sortBy = (column: string) => {
    setPage(0);
    setSorting((before) => ({
      column,
      direction: before?.column === column && before.direction === 'ascending' ? 'descending' : 'ascending',
    }));
  };
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
          <Pager table={table} page={page} count={rows.length} setPage={setPage} />
          {!key && (
            <p class="hint">These rows have no number to tell them apart by; change them under SQL.</p>
          )}
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
            <Dialog title="Delete this row?" onClose={() => setDeleting(undefined)}>
              <p>
                Row {String(deleting[key.field])} of {table.name} cannot be brought back.
              </p>
              <Form
                submit="Delete the row"
                onSubmit={async () => {
                  await deleteRow(slug, table.name, key, deleting[key.field]);
                  say('The row is deleted.');
                  await refresh();
                }}
                aside={
                  <Button kind="quiet" onClick={() => setDeleting(undefined)}>
                    Cancel
                  </Button>
                }
              >
                {null}
              </Form>
            </Dialog>
          )}
        </>
      )}
    </Show>
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
    <div class="fn-rows">
      <Table
        caption={`Rows of ${table.name}`}
        rows={rows}
        keyOf={(row) => numbers.get(row) ?? 0}
        columns={[...cells, ...changes]}
      />
    </div>
  );
}

/** A title that no column of the owner's has. */
function freeTitle(columns: ColumnInfo[]): string {
  let title = 'Change';
  while (columns.some(({ name }) => name === title)) title += ' ';
  return title;
}

function Pager({
  table,
  page,
  count,
  setPage,
}: {
  table: TableInfo;
  page: number;
  count: number;
  setPage: (page: number) => void;
}) {
  const first = page * PAGE_ROWS;
  const isMore = table.rowCount === undefined ? count === PAGE_ROWS : first + count < table.rowCount;
  return (
    <div class="fn-bar">
      <p class="faint" role="status">
        {count === 0 ? 'No rows' : `${formatNumber(first + 1)} to ${formatNumber(first + count)}`}
        {table.rowCount !== undefined && count > 0 && ` of ${formatNumber(table.rowCount)}`}
      </p>
      {(page > 0 || isMore) && (
        <div class="actions">
          <Button kind="quiet" disabled={page === 0} onClick={() => setPage(page - 1)}>
            Back
          </Button>
          <Button kind="quiet" disabled={!isMore} onClick={() => setPage(page + 1)}>
            Next
          </Button>
        </div>
      )}
    </div>
  );
}
