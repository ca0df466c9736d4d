import { t } from '../texts/index.ts';
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
            caption={t('Columns of {table}', { table: table.name })}
            rows={columns}
            getKey={({ name }) => name}
            columns={[
              { title: t('Column'), cell: ({ name }) => <code>{name}</code> },
              { title: t('Type'), cell: ({ type }) => type || <span class="fn-null">{t('any')}</span> },
              { title: t('Key'), cell: ({ isKey }) => (isKey ? t('Yes') : '') },
              { title: t('Required'), cell: ({ isRequired }) => (isRequired ? t('Yes') : '') },
              { title: t('Default'), cell: ({ defaultValue }) => defaultValue ?? '' },
            ]}
          />
          {indexes.length > 0 && (
            <Table
              caption={t('Indexes of {table}', { table: table.name })}
              rows={indexes}
              getKey={({ name }) => name}
              columns={[
                { title: t('Index'), cell: ({ name }) => <code>{name}</code> },
                { title: t('Columns'), cell: ({ columns: indexed }) => indexed },
                { title: t('Unique'), cell: ({ isUnique }) => (isUnique ? t('Yes') : '') },
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
