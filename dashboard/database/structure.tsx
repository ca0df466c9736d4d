import { Show, Table, useLoad } from '../ui/index.ts';
import { listColumns, listIndexes, type TableInfo } from './sqlite.ts';

/** The structure of a table: columns, indexes, and the statement that created it. */
export function StructureView({ slug, table }: { slug: string; table: TableInfo }) {
  const loaded = useLoad(
    (signal) =>
      Promise.all([listColumns(slug, table.name, signal), listIndexes(slug, table.name, signal)] as const),
    [slug, table.name],
  );
  return (
    <Show loaded={loaded}>
      {([columns, indexes]) => (
        <div class="fn-structure">
          <Table
            caption={`Columns of ${table.name}`}
            rows={columns}
            keyOf={({ name }) => name}
            columns={[
              { title: 'Column', cell: ({ name }) => <code>{name}</code> },
              { title: 'Type', cell: ({ type }) => type || <span class="fn-null">any</span> },
              { title: 'Key', cell: ({ isKey }) => (isKey ? 'Yes' : '') },
              { title: 'Required', cell: ({ isRequired }) => (isRequired ? 'Yes' : '') },
              { title: 'Default', cell: ({ defaultValue }) => defaultValue ?? '' },
            ]}
          />
          {indexes.length > 0 && (
            <Table
              caption={`Indexes of ${table.name}`}
              rows={indexes}
              keyOf={({ name }) => name}
              columns={[
                { title: 'Index', cell: ({ name }) => <code>{name}</code> },
                { title: 'Columns', cell: ({ columns: indexed }) => indexed },
                { title: 'Unique', cell: ({ isUnique }) => (isUnique ? 'Yes' : '') },
              ]}
            />
          )}
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
          <pre class="fn-body" tabIndex={0}>
            {table.sql}
          </pre>
        </div>
      )}
    </Show>
  );
}
