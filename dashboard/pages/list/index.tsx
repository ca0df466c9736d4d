import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { VisitorsNow } from '../../../contract/accounts/home/home.ts';
import { PAGE_ORDERS, PAGE_STATES } from '../../../contract/rules/pages/page-lists.ts';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Button, Empty, Failure, Icon, ScreenHead, Skeleton } from '../../ui/index.ts';
import { ListBar, useActivity, useListPlace, useVisitorsNow } from '../../ui/listing/index.ts';
import type { PageSummary } from '../api.ts';
import { importDropped } from '../files/dropped.ts';
import { useFileDrop } from '../files/use-file-drop.ts';
import { StartHere } from '../new/index.tsx';
import { PageCard, PageLine } from './card.tsx';
import { SharedPages } from './shared.tsx';
import { type PageSearch, usePages } from './use-pages.ts';

const OFFERED = { orders: PAGE_ORDERS, states: PAGE_STATES };
const ORDERS: ReadonlyArray<readonly [Order, string]> = [
  ['updated', t('Last changed')],
  ['activity', t('Most seen')],
  ['name', t('By name')],
];
const STATES: ReadonlyArray<readonly [State, string]> = [
  ['published', t('Published')],
  ['draft', t('Not published')],
  ['private', t('Not for everyone')],
  ['taken_down', t('Taken down')],
];
type Order = (typeof PAGE_ORDERS)[number];
type State = (typeof PAGE_STATES)[number];

/** The user’s pages. */
export function PageList() {
  const place = useListPlace<Order, State>('pages', 'cards', OFFERED);
  const { query, order, state } = place;
  const search = usePages({ query, order, state });
  const over = useFileDrop({ onDrop: importDropped });
  const { found, error } = search;
  const isFiltered = query !== '' || state !== undefined;
  const isEmpty = found?.total === 0 && !found.asked.query && !found.asked.state && !isFiltered;

  return (
    <>
      <ScreenHead title={t('Pages')} actions={isEmpty ? undefined : <MakeButtons />} />
      {isEmpty ? (
        <NoPages />
      ) : (
        <>
          <ListBar
            label={t('Search your pages')}
            {...{ place, orders: ORDERS, states: STATES }}
            count={found && sayCount(found.total, isFiltered)}
          />
          {error && <Failure error={error} retry={found?.batches.length ? search.loadMore : search.reload} />}
          <Cards search={search} view={place.view} onReset={() => place.change(EVERYTHING)} />
        </>
      )}
      {found && !isEmpty && <SharedPages query={found.asked.query} />}
      {over && (
        <div class="page-list-drop" role="status">
          {t('Drop a folder, an archive or a file to import it')}
        </div>
      )}
    </>
  );
}

const EVERYTHING = { query: '', state: undefined };

const sayCount = (count: number, isFiltered: boolean) =>
  isFiltered
    ? t('{count|{count} page|{count} pages} found', { count })
    : t('{count|{count} page|{count} pages}', { count });

function MakeButtons() {
  return (
    <>
      <Link class="button quiet" href="/pages/import">
        <Icon name="upload" /> {t('Import')}
      </Link>
      <Link class="button" href="/pages/new">
        <Icon name="plus" /> {t('New page')}
      </Link>
    </>
  );
}

/** Somebody without pages may have come for those of others. */
function NoPages() {
  return (
    <SharedPages query="">
      <StartHere />
    </SharedPages>
  );
}

interface CardsProps {
  search: PageSearch;
  view: 'cards' | 'list';
  onReset: () => void;
}

function Cards({ search, view, onReset }: CardsProps) {
  const { found, error, isLoading, hasMore } = search;
  const { views } = useActivity();
  const now = useVisitorsNow();
  if (!found) return error ? null : view === 'list' ? <Skeleton kind="rows" lines={12} /> : <CardSkeletons />;
  if (found.total === 0) return <NothingFound query={found.asked.query} onReset={onReset} />;
  const items = found.batches.map((pages) => <Batch key={pages[0]?.id} {...{ pages, view, views, now }} />);
  return (
    <>
      {view === 'list' ? (
        <ul class="page-lines" aria-busy={isLoading}>
          {items}
        </ul>
      ) : (
        <div class="page-cards-frame">
          <ul class="page-cards" aria-busy={isLoading}>
            {items}
          </ul>
        </div>
      )}
      {hasMore && <More search={search} />}
    </>
  );
}

interface BatchProps {
  pages: PageSummary[];
  view: 'cards' | 'list';
  views: ReadonlyMap<number, number[]>;
  now: VisitorsNow | undefined;
}

/** The pages of one response. They are not rendered again when more are loaded. */
function Batch({ pages, view, views, now }: BatchProps) {
  const cards = useMemo(() => {
    const Item = view === 'list' ? PageLine : PageCard;
    const visitors = new Map(now?.pages.map((page) => [page.id, page.visitors]));
    return pages.map((page) => (
      <Item key={page.id} page={page} views={views.get(page.id)} visitors={visitors.get(page.id) ?? 0} />
    ));
  }, [pages, view, views, now]);
  return <>{cards}</>;
}

function NothingFound({ query, onReset }: { query: string; onReset: () => void }) {
  return (
    <Empty
      icon="search"
      title={t('No pages found')}
      action={
        <Button kind="quiet" onClick={onReset}>
          {t('Show all pages')}
        </Button>
      }
    >
      {query
        ? t('None of your pages matches “{query}”.', { query })
        : t('None of your pages is in this state.')}
    </Empty>
  );
}

/** Loads more when the person scrolls near the end, or chooses the button. */
function More({ search }: { search: PageSearch }) {
  const element = useRef<HTMLDivElement>(null);
  const latest = useRef(search);
  latest.current = search;
  useEffect(() => {
    const observer = new IntersectionObserver(
      ([entry]) => {
        if (entry?.isIntersecting && !latest.current.error) void latest.current.loadMore();
      },
      { rootMargin: '2000px' },
    );
    if (element.current) observer.observe(element.current);
    return () => observer.disconnect();
    // Observe again after each batch: if the end is still visible, the observer would not fire.
  }, [search.found]);
  return (
    <div class="page-more" ref={element}>
      <Button kind="quiet" onClick={search.loadMore}>
        {search.isLoading ? t('Loading…') : t('Load more')}
      </Button>
    </div>
  );
}

function CardSkeletons() {
  return (
    <div class="page-cards-frame">
      <div class="page-cards" role="status" aria-label={t('Loading')}>
        {Array.from({ length: 8 }, (_, card) => (
          <div key={card} class="link-card page-card skeleton">
            <span class="page-picture" />
            <span />
            <span />
          </div>
        ))}
      </div>
    </div>
  );
}
