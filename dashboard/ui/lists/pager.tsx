import type { ComponentChildren } from 'preact';
import { t } from '../../texts/index.ts';
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
  /** Shows the number of the page, which leads to any other one. Needs `total`. */
  anyPage?: boolean;
  /** Shown next to the buttons. */
  children?: ComponentChildren;
}

/** Which rows of a long list are shown, and the way to the others. */
export function Pager({ offset, limit, shown, total, onMove, anyPage, children }: PagerProps) {
  const end = offset + shown;
  const hasMore = shown > 0 && (total === undefined ? shown === limit : end < total);
  return (
    <nav class="pager" aria-label={t('Pagination')}>
      <span class="faint" role="status">
        {describeRange(offset, shown, total)}
      </span>
      <div class="actions">
        {children}
        {(offset > 0 || hasMore) && (
          <>
            <Button kind="quiet" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - limit))}>
              {t('Previous')}
            </Button>
            {anyPage && total !== undefined && (
              <PageNumber
                page={Math.floor(offset / limit) + 1}
                last={Math.max(1, Math.ceil(total / limit))}
                onMove={(page) => onMove((page - 1) * limit)}
              />
            )}
            <Button kind="quiet" disabled={!hasMore} onClick={() => onMove(offset + limit)}>
              {t('Next')}
            </Button>
          </>
        )}
      </div>
    </nav>
  );
}

function describeRange(offset: number, shown: number, total: number | undefined): string {
  if (shown === 0) return total ? t('None of {total}', { total }) : '';
  const [from, to] = [offset + 1, offset + shown];
  return total === undefined
    ? t('{from} to {to}', { from, to })
    : t('{from} to {to} of {total}', { from, to, total });
}

interface NumberProps {
  page: number;
  last: number;
  onMove: (page: number) => void;
}

/** The number of the page. Typing another one goes there. */
function PageNumber({ page, last, onMove }: NumberProps) {
  return (
    <span class="page-number">
      <span aria-hidden="true">{t('Page')}</span>
      <input
        type="number"
        aria-label={t('Page')}
        min={1}
        max={last}
        value={page}
        onChange={(event) => {
          const typed = Math.trunc(Number(event.currentTarget.value));
          if (typed >= 1 && typed <= last) onMove(typed);
          else event.currentTarget.value = String(page);
        }}
      />
      <span class="faint">{t('of {last}', { last: formatNumber(last) })}</span>
    </span>
  );
}
