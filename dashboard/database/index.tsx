import { Link, partsBehind } from '../router.tsx';
import { t } from '../texts/index.ts';
import { Empty, Tabs } from '../ui/index.ts';
import { SqlConsole } from './console/sql-console.tsx';
import { MigrationsView } from './migrations.tsx';
import { TablesView } from './tables.tsx';
import { TransferView } from './transfer.tsx';

export { type DatabaseSummary, listDatabases } from './api.ts';
export { listTables } from './sqlite.ts';

interface Props {
  slug: string;
  /** The path of this screen. What follows it names a tab, or a table. */
  base: string;
}

/** The database of a function: its tables, a SQL console, migrations, export and import. */
export function DatabaseView({ slug, base }: Props) {
  const [detail = '', ...rest] = partsBehind(base) ?? [];
  return (
    <div class="fn-database full-width">
      <Tabs
        label={t('Database')}
        base={base}
        current={detail === 'tables' ? '' : detail}
        tabs={[
          ['', t('Tables')],
          ['sql', 'SQL'],
          ['migrations', t('Migrations')],
          ['transfer', t('Export and import')],
        ]}
      />
      <View {...{ slug, base, detail, rest }} />
    </div>
  );
}

function View({ slug, base, detail, rest }: Props & { detail: string; rest: string[] }) {
  const [table, part, ...more] = rest;
  if (detail === '' || (detail === 'tables' && more.length === 0 && (!part || part === 'structure')))
    return <TablesView {...{ slug, base, chosen: table, isStructure: part !== undefined }} />;
  if (detail === 'sql' && rest.length === 0) return <SqlConsole slug={slug} />;
  if (detail === 'migrations' && rest.length === 0) return <MigrationsView slug={slug} />;
  if (detail === 'transfer' && rest.length === 0) return <TransferView slug={slug} />;
  return (
    <Empty title={t('Not found')} action={<Link href={base}>{t('Go to the tables')}</Link>}>
      {t('There is no screen at this URL.')}
    </Empty>
  );
}
