import { useState } from 'preact/hooks';
import {
  type Condition,
  fromWhere,
  KeyHints,
  NO_FILTER,
  toWhere,
  useLayout,
  usePlace,
} from '../../grid/index.ts';
import { t } from '../../texts/index.ts';
import { Button, Empty, Failure, type Loaded, Pager, Skeleton, useLoad } from '../../ui/index.ts';
import { SearchField } from '../../ui/listing/index.ts';
import { listColumns, type TableInfo } from '../sqlite.ts';
import type { CellRow } from './cells.ts';
import { OpenDialog, type Opened } from './open-dialog.tsx';
import { chooseRowKey, PAGE_ROWS, type RowSource, readRows } from './row-queries.ts';
import { RowFilters, RowTable, toGridColumns } from './row-table.tsx';

interface RowsViewProps {
  slug: string;
  table: TableInfo;
  onChange: () => Promise<void>;
}

/** The rows of a table, page by page. Rows with a rowid or a primary key can be edited and deleted. */
export function RowsView({ slug, table, onChange }: RowsViewProps) {
  const rows = useRows(slug, table);
  const { value } = rows.loaded;
  if (!value)
    return rows.loaded.error ? (
      <Failure error={rows.loaded.error} retry={rows.loaded.reload} />
    ) : (
      <Skeleton kind="rows" lines={12} />
    );
  return <Rows {...{ rows, value, onChange }} />;
}

interface RowsProps {
  rows: RowList;
  value: PageOfRows;
  onChange: () => Promise<void>;
}

function Rows({ rows, value: { source, page }, onChange }: RowsProps) {
  const { loaded, place, filter, setFilter, setPlace } = rows;
  const { table } = source;
  const [opened, setOpened] = useState<Opened>();
  const controls = useLayout(`sql.${source.slug}.${table.name}`);
  const columns = toGridColumns(source, page.rows);
  const refresh = async () => {
    setOpened(undefined);
    await Promise.all([loaded.reload(), onChange()]);
  };
  const isFiltered = filter.conditions.length > 0 || place.query !== '';
  const add = (condition: Condition) =>
    setFilter({ ...filter, conditions: [...filter.conditions, condition] });
  return (
    <>
      <div class="data-bar">
        <SearchField
          label={t('Search all columns')}
          value={place.query}
          onSearch={(query) => setPlace({ query }, true)}
        />
        <RowFilters {...{ columns, controls, filter }} onChange={setFilter} />
        {table.type === 'table' && (
          <Button onClick={() => setOpened({ kind: 'insert' })}>{t('Insert row')}</Button>
        )}
      </div>
      {loaded.error && <Failure error={loaded.error} retry={loaded.reload} />}
      {page.rows.length === 0 ? (
        <NoRows isFiltered={isFiltered} isBeyond={place.page > 1} onReset={() => setPlace(NOTHING)} />
      ) : (
        <RowTable
          {...{ source, columns, controls }}
          page={page.rows}
          sort={place.sort}
          isBusy={loaded.isLoading}
          onSort={(sort) => setPlace({ sort })}
          onFilter={add}
          onOpen={(row) => setOpened({ kind: 'edit', row })}
          onSaved={loaded.reload}
        />
      )}
      <Pager
        {...{ offset: (place.page - 1) * PAGE_ROWS, limit: PAGE_ROWS, total: page.total }}
        shown={page.rows.length}
        anyPage
        onMove={(to) => setPlace({ page: Math.floor(to / PAGE_ROWS) + 1 })}
      >
        {source.key && page.rows.length > 0 && <KeyHints />}
      </Pager>
      {!source.key && table.type === 'table' && (
        <p class="hint">{t('This table has no rowid. To edit its rows, use the SQL tab.')}</p>
      )}
      <OpenDialog {...{ source, opened, setOpened }} onClose={() => setOpened(undefined)} onDone={refresh} />
    </>
  );
}

const NOTHING = { query: '', where: undefined };

/** One page of the rows, searched, filtered and sorted as the URL says. */
function useRows(slug: string, table: TableInfo) {
  const [place, setPlace] = usePlace();
  const filter = (place.where === undefined ? undefined : fromWhere(place.where)) ?? NO_FILTER;
  const loaded: Loaded<PageOfRows> = useLoad(
    async (signal) => {
      const columns = await listColumns(slug, table.name, signal);
      const source = { slug, table, columns, key: chooseRowKey(table, columns) };
      const offset = (place.page - 1) * PAGE_ROWS;
      const { query, sort } = place;
      return { source, page: await readRows(source, { offset, sort, filter, query }, signal) };
    },
    [slug, table.name, table.rowCount, place],
  );
  return {
    ...{ loaded, place, setPlace, filter },
    setFilter: (next: typeof NO_FILTER) => setPlace({ where: toWhere(next) }),
  };
}

type RowList = ReturnType<typeof useRows>;

interface PageOfRows {
  source: RowSource;
  page: { rows: CellRow[]; total: number | undefined };
}

interface NoRowsProps {
  isFiltered: boolean;
  /** Whether the page does not exist. */
  isBeyond: boolean;
  onReset: () => void;
}

function NoRows({ isFiltered, isBeyond, onReset }: NoRowsProps) {
  if (!isFiltered && !isBeyond)
    return (
      <Empty icon="database" title={t('No rows yet')}>
        {t('Insert one here, or in your code.')}
      </Empty>
    );
  return (
    <Empty
      icon="search"
      title={isFiltered ? t('No rows found') : t('Nothing on this page')}
      action={
        <Button kind="quiet" onClick={onReset}>
          {isFiltered ? t('Show all rows') : t('Go to the first page')}
        </Button>
      }
    />
  );
}
