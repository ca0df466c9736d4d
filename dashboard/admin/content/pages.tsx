import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { ACCESS_BADGES, Badge, type Column, formatAgo, formatMoment, formatNumber } from '../../ui/index.ts';
import {
  type AdminPage,
  type ContentFilter,
  listPages,
  type PageState,
  restorePage,
  takePageDown,
} from '../api.ts';
import { GalleryAction } from './gallery.tsx';
import { BlockState, ContentList } from './list.tsx';

const STATES = [
  ['', t('All pages')],
  ['published', t('Published')],
  ['draft', t('Drafts')],
  ['listed', t('In the gallery')],
  ['unclaimed', t('Not claimed')],
  ['taken-down', t('Taken down')],
  ['blocked', t('Owner blocked')],
] as const;

const TEXTS = {
  count: (count: number) => t('{count|{count} page|{count} pages}', { count }),
  search: t('Search pages'),
  noneFound: t('No pages found'),
  noneMatches: t('No page matches.'),
  noneMade: t('Nobody has created a page yet.'),
};

/** Everybody's pages. */
export function PagesScreen({ item }: { item?: string | undefined }) {
  return (
    <ContentList
      owner={item ?? ''}
      texts={TEXTS}
      title={t('Pages')}
      states={STATES}
      read={read}
      columns={COLUMNS}
      getKey={({ id }) => id}
      getName={({ slug }) => `/p/${slug}`}
      takeDown={({ id }, reason) => takePageDown(id, reason)}
      restore={({ id }) => restorePage(id)}
      more={(page, reload) => <GalleryAction page={page} reload={reload} />}
      sayTakeDown={sayTakeDown}
    />
  );
}

/** What taking a page down means, and who learns why. */
export function sayTakeDown({ unclaimedUntil }: AdminPage) {
  if (unclaimedUntil !== null)
    return {
      meaning: t('Nobody can see or claim the page. It is deleted a day after it was published.'),
      hint: t('The audit log has this.'),
    };
  return {
    meaning: t('Nobody can see the page. Its owner can still edit, export and delete it in the dashboard.'),
    hint: t('The owner sees this.'),
  };
}

async function read(filter: ContentFilter<PageState>, signal: AbortSignal) {
  const { pages, total, limit } = await listPages(filter, signal);
  return { items: pages, total, limit };
}

/** Who can see the page. */
function Published({ page: { isPublished, accessMode } }: { page: AdminPage }) {
  if (!isPublished) return <Badge kind="warn">{t('Not published')}</Badge>;
  if (accessMode === 'public') return <Badge kind="good">{t('Published')}</Badge>;
  return <Badge>{ACCESS_BADGES[accessMode]}</Badge>;
}

const COLUMNS: Array<Column<AdminPage>> = [
  {
    title: t('Page'),
    cell: (page) => (
      <div class="admin-name">
        <strong class="admin-short" title={page.name} dir="auto">
          {page.name}
        </strong>
        <div>
          <a class="admin-short" href={page.url} target="_blank" rel="noopener">
            /p/{page.slug}
          </a>
        </div>
      </div>
    ),
  },
  {
    title: t('Owner'),
    cell: ({ owner }) => (
      <div class="admin-owner">
        <Link href={`/admin/users/${owner.id}`}>{owner.username}</Link>
      </div>
    ),
  },
  {
    title: t('State'),
    cell: (page) => (
      <BlockState item={page}>
        <Published page={page} /> {page.isUnlisted && <Badge>{t('Unlisted')}</Badge>}{' '}
        {page.unclaimedUntil && (
          <span
            title={t('Published without an account. Deleted {when} unless somebody claims it.', {
              when: formatMoment(page.unclaimedUntil),
            })}
          >
            <Badge kind="warn">{t('Not claimed')}</Badge>
          </span>
        )}
        {page.isListed && <Badge>{t('In the gallery')}</Badge>}
        {page.removedFromGallery && (
          <span title={page.removedFromGallery.reason}>
            <Badge kind="warn">{t('Removed from the gallery')}</Badge>
          </span>
        )}
      </BlockState>
    ),
  },
  { title: t('Views'), cell: ({ views }) => formatNumber(views), isNumber: true, isMinor: true },
  {
    title: t('Updated'),
    cell: ({ updatedAt }) => (
      <span class="admin-time" title={formatMoment(updatedAt)}>
        {formatAgo(updatedAt)}
      </span>
    ),
    isMinor: true,
  },
];
