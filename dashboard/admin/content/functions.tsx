import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Badge, type Column, formatAgo, formatMoment } from '../../ui/index.ts';
import {
  type AdminFunction,
  type ContentFilter,
  type FunctionState,
  listFunctions,
  restoreFunction,
  takeFunctionDown,
} from '../api.ts';
import { BlockState, ContentList } from './list.tsx';

const STATES = [
  ['', t('All functions')],
  ['public', t('Public')],
  ['private', t('Private')],
  ['taken-down', t('Taken down')],
  ['blocked', t('Owner blocked')],
] as const;

const TEXTS = {
  count: (count: number) => t('{count|{count} function|{count} functions}', { count }),
  search: t('Search functions'),
  noneFound: t('No functions found'),
  noneMatches: t('No function matches.'),
  noneMade: t('Nobody has created a function yet.'),
};

/** Everybody's functions. */
export function FunctionsScreen({ item }: { item?: string | undefined }) {
  return (
    <ContentList
      owner={item ?? ''}
      texts={TEXTS}
      title={t('Functions')}
      states={STATES}
      read={read}
      columns={COLUMNS}
      getKey={({ id }) => id}
      getName={({ slug }) => slug}
      takeDown={({ slug }, reason) => takeFunctionDown(slug, reason)}
      restore={({ slug }) => restoreFunction(slug)}
      sayTakeDown={() => ({
        meaning: t('Nobody can call the function. Its schedules stop, and its WebSockets are closed.'),
        hint: t('The owner sees this.'),
      })}
    />
  );
}

async function read(filter: ContentFilter<FunctionState>, signal: AbortSignal) {
  const { functions, total, limit } = await listFunctions(filter, signal);
  return { items: functions, total, limit };
}

const COLUMNS: Array<Column<AdminFunction>> = [
  {
    title: t('Function'),
    cell: ({ slug, displayName }) => (
      <div class="admin-name">
        <strong>{displayName || slug}</strong>
        {displayName && (
          <div>
            <code>{slug}</code>
          </div>
        )}
      </div>
    ),
  },
  {
    title: t('Owner'),
    cell: ({ owner }) => (
      <div class="admin-owner">
        {owner ? <Link href={`/admin/users/${owner.id}`}>{owner.username}</Link> : t('Built in')}
      </div>
    ),
  },
  {
    title: t('State'),
    cell: (item) => (
      <BlockState item={item}>
        {item.isPublic ? <Badge kind="good">{t('Public')}</Badge> : <Badge kind="warn">{t('Private')}</Badge>}{' '}
        {item.hasDatabase && <Badge>{t('Database')}</Badge>}
      </BlockState>
    ),
  },
  {
    title: t('Deployed'),
    cell: ({ updatedAt }) => (
      <span class="admin-time" title={formatMoment(updatedAt)}>
        {formatAgo(updatedAt)}
      </span>
    ),
    isMinor: true,
  },
];
