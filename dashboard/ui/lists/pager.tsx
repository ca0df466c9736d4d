import type { ComponentChildren } from 'preact';
import { t } from '../../texts/index.ts';
import { Button } from '../controls.tsx';

interface PagerProps {
  offset: number;
  limit: number;
  /** The number of rows on this page. */
  shown: number;
  /** Undefined if it is unknown. */
  total: number | undefined;
  onMove: (offset: number) => void;
  /** Shown next to the buttons. */
  children?: ComponentChildren;
}

/** Which rows of a long list are shown, and buttons for the previous and the next ones. */
export function Pager({ offset, limit, shown, total, onMove, children }: PagerProps) {
  const end = offset + shown;
  const hasMore = shown > 0 && (total === undefined ? shown === limit : end < total);
  return (
    <nav class="pager" aria-label={t('Pagination')}>
      <span class="faint" role="status">
        {rangeOf(offset, shown, total)}
      </span>
      <div class="actions">
        {children}
        {(offset > 0 || hasMore) && (
          <>
            <Button kind="quiet" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - limit))}>
              {t('Previous')}
            </Button>
            <Button kind="quiet" disabled={!hasMore} onClick={() => onMove(offset + limit)}>
              {t('Next')}
            </Button>
          </>
        )}
      </div>
    </nav>
  );
}

function rangeOf(offset: number, shown: number, total: number | undefined): string {
  const [from, to] = [offset + 1, offset + shown];
  if (total === undefined) return shown === 0 ? t('None') : t('{from} to {to}', { from, to });
  return shown === 0 ? t('None of {total}', { total }) : t('{from} to {to} of {total}', { from, to, total });
}
