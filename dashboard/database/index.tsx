import { t } from '../texts/index.ts';
import { Empty, Tabs } from '../ui/index.ts';
import { SqlConsole } from './console/sql-console.tsx';
import { TablesView } from './tables.tsx';
import { TransferView } from './transfer.tsx';

export { type DatabaseSummary, listDatabases } from './api.ts';
export { listTables } from './sqlite.ts';

interface Props {
  slug: string;
  /** The path of this screen. */
  base: string;
  /** The part of the path after it. */
  detail: string;
}

/** The database of a function: its tables, a SQL console, export and import. */
export function DatabaseView({ slug, base, detail }: Props) {
  return (
    <div class="fn-database">
      <Tabs
        label={t('Database')}
        base={base}
        current={detail}
        tabs={[
          ['', t('Tables')],
          ['sql', 'SQL'],
          ['transfer', t('Export and import')],
        ]}
      />
      <View slug={slug} detail={detail} />
    </div>
  );
}

function View({ slug, detail }: { slug: string; detail: string }) {
  if (detail === '') return <TablesView slug={slug} />;
  if (detail === 'sql') return <SqlConsole slug={slug} />;
  if (detail === 'transfer') return <TransferView slug={slug} />;
  return <Empty title={t('Not found')}>{t('There is no screen at this URL.')}</Empty>;
}
