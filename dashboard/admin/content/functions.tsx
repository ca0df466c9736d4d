import { Link } from '../../router.tsx';
import { Badge, type Column, formatAgo, formatMoment } from '../../ui/index.ts';
import { type AdminFunction, type ContentFilter, listFunctions } from '../api.ts';
import { BlockState, ContentList } from './list.tsx';

const STATES = [
  ['', 'All functions'],
  ['public', 'Public'],
  ['private', 'Private'],
  ['taken-down', 'Taken down'],
  ['blocked', 'Owner blocked'],
] as const;

/** Everybody's functions. */
export function FunctionsScreen({ item }: { item?: string | undefined }) {
  return (
    <ContentList
      owner={item ?? ''}
      what="function"
      title="Functions"
      states={STATES}
      read={read}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      nameOf={({ slug }) => slug}
      targetOf={({ slug }) => `functions/${slug}`}
      meaning="Nobody can call the function. Its schedules stop, and its WebSockets are closed."
    />
  );
}

async function read(filter: ContentFilter, signal: AbortSignal) {
  const { functions, total, limit } = await listFunctions(filter, signal);
  return { items: functions, total, limit };
}

const COLUMNS: Array<Column<AdminFunction>> = [
  {
    title: 'Function',
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
    title: 'Owner',
    cell: ({ owner }) => (
      <div class="admin-name">
        {owner ? <Link href={`/admin/users/${owner.id}`}>{owner.username}</Link> : 'Built in'}
      </div>
    ),
  },
  {
    title: 'State',
    cell: (item) => (
      <BlockState item={item}>
        {item.isPublic ? <Badge kind="good">Public</Badge> : <Badge kind="warn">Private</Badge>}{' '}
        {item.hasDatabase && <Badge>Database</Badge>}
      </BlockState>
    ),
  },
  {
    title: 'Deployed',
    cell: ({ updatedAt }) => <span title={formatMoment(updatedAt)}>{formatAgo(updatedAt)}</span>,
    isMinor: true,
  },
];
