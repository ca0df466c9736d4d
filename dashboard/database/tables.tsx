import { Link, navigate } from '../router.tsx';
import { rich, t } from '../texts/index.ts';
import { Badge, Choice, Empty, formatNumber, Show, useLoad } from '../ui/index.ts';
import { RowsView } from './rows/rows.tsx';
import { listTables, type TableInfo } from './sqlite.ts';
import { StructureView } from './structure.tsx';

interface Props {
  slug: string;
  base: string;
  /** The name of the table in the URL. Without one, the first is shown. */
  chosen: string | undefined;
  isStructure: boolean;
}

/** The tables, and the rows or the structure of the selected one. Each has a URL. */
export function TablesView({ slug, base, chosen, isStructure }: Props) {
  const loaded = useLoad((signal) => listTables(slug, signal), [slug]);
  return (
    <Show loaded={loaded}>
      {(tables) => {
        const table = chosen === undefined ? tables[0] : tables.find(({ name }) => name === chosen);
        if (tables.length === 0) return <NoTables />;
        return (
          <div class="fn-tables">
            <TableList {...{ tables, base }} current={table} />
            <div class="fn-table">
              {table ? (
                <TableView
                  key={table.name}
                  {...{ slug, base, table, isStructure }}
                  onChange={loaded.reload}
                />
              ) : (
                <Empty icon="database" title={t('Not found')}>
                  {t('This database has no table “{name}”.', { name: chosen ?? '' })}
                </Empty>
              )}
            </div>
          </div>
        );
      }}
    </Show>
  );
}

const toTable = (base: string, name: string) => `${base}/tables/${encodeURIComponent(name)}`;

function NoTables() {
  return (
    <Empty icon="database" title={t('No tables yet')}>
      {rich("Create one in your code with <code>env.DB.exec('CREATE TABLE …')</code>, or in the SQL tab.", {
        code: (text) => <code>{text}</code>,
      })}
    </Empty>
  );
}

interface TableProps {
  slug: string;
  base: string;
  table: TableInfo;
  isStructure: boolean;
  onChange: () => Promise<void>;
}

function TableView({ slug, base, table, isStructure, onChange }: TableProps) {
  const here = toTable(base, table.name);
  return (
    <>
      <div class="fn-bar">
        <h2>{table.name}</h2>
        <Choice
          label={t('View')}
          value={isStructure}
          options={[
            [false, t('Rows')],
            [true, t('Structure')],
          ]}
          onChoose={(isChosen) => navigate(isChosen ? `${here}/structure` : here)}
        />
      </div>
      {isStructure ? (
        <StructureView slug={slug} table={table} />
      ) : (
        <RowsView {...{ slug, table, onChange }} />
      )}
    </>
  );
}

interface ListProps {
  tables: TableInfo[];
  base: string;
  current: TableInfo | undefined;
}

function TableList({ tables, base, current }: ListProps) {
  return (
    <nav class="fn-table-list" aria-label={t('Tables')}>
      <ul>
        {tables.map((table) => (
          <li key={table.name}>
            <Link href={toTable(base, table.name)} current={table === current}>
              <span>{table.name}</span>
              {table.type === 'view' && <Badge>{t('View')}</Badge>}
              <span class="faint number">
                {table.rowCount === undefined ? '?' : formatNumber(table.rowCount)}
                <span class="for-readers"> {t('rows')}</span>
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}
