import { useEffect, useRef, useState } from 'preact/hooks';
import { type DatabaseSummary, listDatabases, listTables } from '../database/index.tsx';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import {
  Badge,
  Button,
  Empty,
  formatAgo,
  formatBytes,
  formatMoment,
  formatNumber,
  ScreenHead,
  Show,
  Skeleton,
  useLoad,
} from '../ui/index.ts';
import { SearchField, useListPlace } from '../ui/listing/index.ts';
import { useFunctionNames } from './function-names.ts';

/** All databases of the owner, each named after the functions that use it. */
export function DatabasesList() {
  const loaded = useLoad(listDatabases, []);
  const names = useFunctionNames();
  return (
    <>
      <ScreenHead title={t('Databases')} />
      <Show loaded={names ? loaded : { ...loaded, value: undefined }} skeleton={<Skeleton kind="rows" />}>
        {(databases) =>
          databases.length === 0 ? <NoDatabases /> : <List databases={databases} names={names ?? new Map()} />
        }
      </Show>
    </>
  );
}

interface ListProps {
  databases: DatabaseSummary[];
  names: ReadonlyMap<string, string>;
}

/** The databases that are searched for, by the names of the functions that use them. */
function List({ databases, names }: ListProps) {
  const { query, change } = useListPlace('databases', 'list', { orders: ['name'], states: [] });
  const wanted = query.toLowerCase();
  const found = databases.filter(({ functions }) =>
    functions.some((slug) => `${slug} ${names.get(slug) ?? ''}`.toLowerCase().includes(wanted)),
  );
  return (
    <>
      <div class="list-bar">
        <SearchField
          label={t('Search databases')}
          value={query}
          onSearch={(typed) => change({ query: typed }, true)}
        />
        <p class="hint" role="status">
          {query
            ? t('{done} of {total}', { done: found.length, total: databases.length })
            : t('{count|1 database|{count} databases}', { count: databases.length })}
        </p>
      </div>
      {found.length === 0 ? (
        <Empty
          icon="search"
          title={t('No databases found')}
          action={
            <Button kind="quiet" onClick={() => change({ query: '' })}>
              {t('Show all databases')}
            </Button>
          }
        >
          {t('None of your databases belongs to a function with “{words}” in its name.', { words: query })}
        </Empty>
      ) : (
        <ul class="fn-list">
          {found.map((database) => (
            <Item key={database.id} {...{ database, names }} />
          ))}
        </ul>
      )}
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

interface ItemProps {
  database: DatabaseSummary;
  names: ReadonlyMap<string, string>;
}

function Item({ database, names }: ItemProps) {
  const { functions, bytes, createdAt } = database;
  const [first = '', ...others] = functions;
  const name = names.get(first);
  return (
    <li>
      <div>
        <h2>
          <Link href={`/databases/${first}`}>{name ?? first}</Link>
        </h2>
        {name && <code>{first}</code>}
        {others.length > 0 && (
          <p class="faint">
            {t('also {names}', { names: others.map((slug) => names.get(slug) ?? slug).join(', ') })}
          </p>
        )}
        <Contents slug={first} />
      </div>
      <div class="fn-marks">
        <Badge>{formatBytes(bytes)}</Badge>
        <time class="faint" dateTime={createdAt} title={formatMoment(createdAt)}>
          {t('Created {ago}', { ago: formatAgo(createdAt) })}
        </time>
      </div>
    </li>
  );
}

/** The tables of a database, which is asked when it comes into view: a long list would otherwise start all of them. */
function Contents({ slug }: { slug: string }) {
  const line = useRef<HTMLParagraphElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    if (!line.current || isSeen) return;
    const observer = new IntersectionObserver(
      (entries) => entries.some((each) => each.isIntersecting) && setSeen(true),
      { rootMargin: '200px' },
    );
    observer.observe(line.current);
    return () => observer.disconnect();
  }, [isSeen]);
  return isSeen ? (
    <Tables slug={slug} />
  ) : (
    <p class="faint" ref={line}>
      …
    </p>
  );
}

/** The tables of a database and how many rows they have. Each database answers by itself, so a slow one delays no other. */
function Tables({ slug }: { slug: string }) {
  const { value: tables, error } = useLoad((signal) => listTables(slug, signal), [slug]);
  if (error) return <p class="fault">{t('Unavailable')}</p>;
  if (!tables) return <p class="faint">…</p>;
  if (tables.length === 0) return <p class="faint">{t('No tables yet')}</p>;
  const rows = tables.reduce((sum, { rowCount = 0, type }) => sum + (type === 'view' ? 0 : rowCount), 0);
  return (
    <p class="faint">
      {t('{count|1 table|{count} tables}', { count: tables.length })},{' '}
      {t('{rows|1 row|{shown} rows}', { rows, shown: formatNumber(rows) })}:{' '}
      {tables.map(({ name }) => name).join(', ')}
    </p>
  );
}
