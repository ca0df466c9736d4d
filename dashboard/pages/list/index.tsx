import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Button, Empty, Failure, Icon, ScreenHead, TextField, useSettled } from '../../ui/index.ts';
import type { PageSummary } from '../api.ts';
import { importDropped } from '../files/dropped.ts';
import { useFileDrop } from '../files/use-file-drop.ts';
import { StartHere } from '../new/index.tsx';
import { PageCard } from './card.tsx';
import { SharedPages } from './shared.tsx';
import { type PageSearch, usePages } from './use-pages.ts';

/** The user’s pages. */
export function PageList() {
  const [typed, setTyped] = useState('');
  const query = useSettled(typed.trim());
  const search = usePages(query);
  const over = useFileDrop({ onDrop: importDropped });
  const { found, error } = search;
  const isEmpty = found?.query === '' && found.total === 0 && query === '';

  return (
    <>
      <ScreenHead title={t('Pages')} actions={isEmpty ? undefined : <MakeButtons />} />
      {isEmpty ? (
        <NoPages />
      ) : (
        <>
          <div class="page-search">
            <TextField
              label={t('Search your pages')}
              hideLabel
              type="search"
              placeholder={t('Search by name, URL or description')}
              value={typed}
              onInput={setTyped}
            />
            <p class="hint" role="status">
              {found &&
                (found.query
                  ? t('{count|{count} page|{count} pages} found', { count: found.total })
                  : t('{count|{count} page|{count} pages}', { count: found.total }))}
            </p>
          </div>
          {error && <Failure error={error} retry={found?.batches.length ? search.loadMore : search.reload} />}
          <Cards search={search} />
        </>
      )}
      {found && !isEmpty && <SharedPages query={found.query} />}
      {over && (
        <div class="page-list-drop" role="status">
          {t('Drop a folder, an archive or a file to import it')}
        </div>
      )}
    </>
  );
}

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

function Cards({ search }: { search: PageSearch }) {
  const { found, error, isLoading, hasMore } = search;
  if (!found) return error ? null : <CardSkeletons />;
  if (found.total === 0)
    return (
      <Empty title={t('No pages found')}>
        {t('None of your pages matches “{query}”.', { query: found.query })}
      </Empty>
    );
  return (
    <>
      <div class="page-cards-frame">
        <ul class="page-cards" aria-busy={isLoading}>
          {found.batches.map((pages) => (
            <Batch key={pages[0]?.id} pages={pages} />
          ))}
        </ul>
      </div>
      {hasMore && <More search={search} />}
    </>
  );
}

/** The cards of one response. They are not rendered again when more are loaded. */
function Batch({ pages }: { pages: PageSummary[] }) {
  const cards = useMemo(() => pages.map((page) => <PageCard key={page.id} page={page} />), [pages]);
  return <>{cards}</>;
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
