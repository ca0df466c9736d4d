import { type DatabaseSummary, listDatabases, listTables } from '../database/index.tsx';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import {
  type Column,
  Empty,
  formatAgo,
  formatBytes,
  formatMoment,
  formatNumber,
  ScreenHead,
  Show,
  Table,
  useLoad,
} from '../ui/index.ts';

/** All databases of the owner, each named after the functions that use it. */
export function DatabasesList() {
  const loaded = useLoad(listDatabases, []);
  return (
    <>
      <ScreenHead title={t('Databases')} />
      <Show loaded={loaded}>
        {(databases) =>
          databases.length === 0 ? (
            <NoDatabases />
          ) : (
            <div class="stacks">
              <Table caption={t('Databases')} rows={databases} getKey={({ id }) => id} columns={columns()} />
            </div>
          )
        }
      </Show>
    </>
  );
}

function NoDatabases() {
  return (
    <Empty
      icon="database"
      title={t('No databases yet')}
      action={
        <Link class="button quiet" href="/functions">
          {t('Go to functions')}
        </Link>
      }
    >
      {t('A function can have a SQLite database. Choose it when you create the function.')}
    </Empty>
  );
}

const columns = (): Array<Column<DatabaseSummary>> => [
  {
    title: t('Function'),
    cell: ({ functions: [first = '', ...others] }) => (
      <>
        <Link href={`/databases/${first}`}>{first}</Link>
        {others.length > 0 && <div class="hint">{t('also {names}', { names: others.join(', ') })}</div>}
      </>
    ),
  },
  {
    title: t('Tables'),
    cell: ({ functions: [first = ''] }) => <Contents slug={first} />,
  },
  {
    title: t('Size'),
    isNumber: true,
    cell: ({ bytes }) => formatBytes(bytes),
  },
  {
    title: t('Created'),
    isMinor: true,
    cell: ({ createdAt }) => (
      <time dateTime={createdAt} title={formatMoment(createdAt)}>
        {formatAgo(createdAt)}
      </time>
    ),
  },
];

/** The tables of a database and how many rows they have. Each database answers by itself, so a slow one delays no other. */
function Contents({ slug }: { slug: string }) {
  const { value: tables, error } = useLoad((signal) => listTables(slug, signal), [slug]);
  if (error) return <span class="fault">{t('Unavailable')}</span>;
  if (!tables) return <span class="faint">…</span>;
  if (tables.length === 0) return <span class="faint">{t('None yet')}</span>;
  const rows = tables.reduce((sum, { rowCount = 0, type }) => sum + (type === 'view' ? 0 : rowCount), 0);
  return (
    <span>
      {t('{count|1 table|{count} tables}', { count: tables.length })},{' '}
      {t('{rows|1 row|{shown} rows}', { rows, shown: formatNumber(rows) })}
      <div class="hint database-names">{tables.map(({ name }) => name).join(', ')}</div>
    </span>
  );
}
