import type { ComponentChildren } from 'preact';
import { Button } from '../controls.tsx';
import { formatNumber } from '../format.ts';

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
  const range = shown === 0 ? 'None' : `${formatNumber(offset + 1)} to ${formatNumber(end)}`;
  const hasMore = shown > 0 && (total === undefined ? shown === limit : end < total);
  return (
    <nav class="pager" aria-label="Pagination">
      <span class="faint" role="status">
        {range}
        {total !== undefined && ` of ${formatNumber(total)}`}
      </span>
      <div class="actions">
        {children}
        {(offset > 0 || hasMore) && (
          <>
            <Button kind="quiet" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - limit))}>
              Previous
            </Button>
            <Button kind="quiet" disabled={!hasMore} onClick={() => onMove(offset + limit)}>
              Next
            </Button>
          </>
        )}
      </div>
    </nav>
  );
}
