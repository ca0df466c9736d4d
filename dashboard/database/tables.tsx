import { useState } from 'preact/hooks';
import { rich, t } from '../texts/index.ts';
import { Badge, Choice, Empty, formatNumber, Show, useLoad } from '../ui/index.ts';
import { RowsView } from './rows.tsx';
import { listTables, type TableInfo } from './sqlite.ts';
import { StructureView } from './structure.tsx';

/** The tables, and the rows or the structure of the selected one. */
export function TablesView({ slug }: { slug: string }) {
  const loaded = useLoad((signal) => listTables(slug, signal), [slug]);
  const [chosen, setChosen] = useState<string>();
  const [isStructure, setStructure] = useState(false);
  return (
    <Show loaded={loaded}>
      {(tables) => {
        const table = tables.find(({ name }) => name === chosen) ?? tables[0];
        if (!table)
          return (
            <Empty title={t('No tables yet')}>
              {rich(
                "Create one in your code with <code>env.DB.exec('CREATE TABLE …')</code>, or in the SQL tab.",
                { code: (text) => <code>{text}</code> },
              )}
            </Empty>
          );
        return (
          <div class="fn-tables">
            <TableList tables={tables} current={table} onChoose={setChosen} />
            <div class="fn-table">
              <div class="fn-bar">
                <h2>{table.name}</h2>
                <Choice
                  label={t('View')}
                  value={isStructure}
                  options={[
                    [false, t('Rows')],
                    [true, t('Structure')],
                  ]}
                  onChoose={setStructure}
                />
              </div>
              {isStructure ? (
                <StructureView key={table.name} slug={slug} table={table} />
              ) : (
                <RowsView key={table.name} slug={slug} table={table} onChange={loaded.reload} />
              )}
            </div>
          </div>
        );
      }}
    </Show>
  );
}

function TableList({
  tables,
  current,
  onChoose,
}: {
  tables: TableInfo[];
  current: TableInfo;
  onChoose: (name: string) => void;
}) {
  return (
    <nav class="fn-table-list" aria-label={t('Tables')}>
      <ul>
        {tables.map((table) => (
          <li key={table.name}>
            <button
              type="button"
              aria-current={table === current ? 'true' : undefined}
              onClick={() => onChoose(table.name)}
            >
              <span>{table.name}</span>
              {table.type === 'view' && <Badge>{t('View')}</Badge>}
              <span class="faint number">
                {table.rowCount === undefined ? '?' : formatNumber(table.rowCount)}
                <span class="for-readers"> {t('rows')}</span>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
}
