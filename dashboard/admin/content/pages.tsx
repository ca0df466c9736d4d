import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Badge, type Column, formatAgo, formatMoment, formatNumber } from '../../ui/index.ts';
import { type AdminPage, type ContentFilter, listPages } from '../api.ts';
import { GalleryAction } from './gallery.tsx';
import { BlockState, ContentList } from './list.tsx';

const STATES = [
  ['', 'All pages'],
  ['published', 'Published'],
  ['draft', 'Drafts'],
  ['listed', t('In the gallery')],
  ['taken-down', 'Taken down'],
  ['blocked', 'Owner blocked'],
] as const;

/** Everybody's pages. */
export function PagesScreen({ item }: { item?: string | undefined }) {
  return (
    <ContentList
      owner={item ?? ''}
      what="page"
      title="Pages"
      states={STATES}
      read={read}
      columns={COLUMNS}
      keyOf={({ id }) => id}
      nameOf={({ slug }) => `/p/${slug}`}
      targetOf={({ id }) => `pages/${id}`}
      more={(page, reload) => <GalleryAction page={page} reload={reload} />}
      meaning="Nobody can see the page. Its owner can still change, export and delete it in the dashboard."
    />
  );
}

async function read(filter: ContentFilter, signal: AbortSignal) {
  const { pages, total, limit } = await listPages(filter, signal);
  return { items: pages, total, limit };
}

const COLUMNS: Array<Column<AdminPage>> = [
  {
    title: 'Page',
    cell: (page) => (
      <div class="admin-name">
        <strong>{page.name}</strong>
        <div>
          <a href={page.url} target="_blank" rel="noopener">
            /p/{page.slug}
          </a>
        </div>
      </div>
    ),
  },
  {
    title: 'Owner',
    cell: ({ owner }) => (
      <div class="admin-name">
        <Link href={`/admin/users/${owner.id}`}>{owner.username}</Link>
      </div>
    ),
  },
  {
    title: 'State',
    cell: (page) => (
      <BlockState item={page}>
        {page.isPublished ? <Badge kind="good">Published</Badge> : <Badge kind="warn">Draft</Badge>}{' '}
        {page.isUnlisted && <Badge>Unlisted</Badge>}
        {page.isListed && <Badge>{t('In the gallery')}</Badge>}
        {page.removedFromGallery && (
          <span title={page.removedFromGallery.reason}>
            <Badge kind="warn">{t('Removed from the gallery')}</Badge>
          </span>
        )}
      </BlockState>
    ),
  },
  { title: 'Views', cell: ({ views }) => formatNumber(views), isNumber: true, isMinor: true },
  {
    title: 'Changed',
    cell: ({ updatedAt }) => <span title={formatMoment(updatedAt)}>{formatAgo(updatedAt)}</span>,
    isMinor: true,
  },
];
