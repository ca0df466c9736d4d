import type { ComponentChildren } from 'preact';
import { t } from '../texts/index.ts';
import { formatNumber } from '../ui/index.ts';

interface Props {
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

/** Which rows of a long list are shown, and the way to any other page. */
export function Pages({ offset, limit, shown, total, onMove, children }: Props) {
  const end = offset + shown;
  const hasMore = shown > 0 && (total === undefined ? shown === limit : end < total);
  const last = total === undefined ? undefined : Math.max(1, Math.ceil(total / limit));
  return (
    <nav class="pager" aria-label={t('Pagination')}>
      <span class="faint" role="status">
        {sayRange(offset, shown, total)}
      </span>
      <div class="actions">
        {children}
        {(offset > 0 || hasMore) && (
          <>
            <Step
              label={t('Previous')}
              disabled={offset === 0}
              onClick={() => onMove(Math.max(0, offset - limit))}
            />
            {last !== undefined && (
              <PageNumber
                page={Math.floor(offset / limit) + 1}
                last={last}
                onMove={(page) => onMove((page - 1) * limit)}
              />
            )}
            <Step label={t('Next')} disabled={!hasMore} onClick={() => onMove(offset + limit)} />
          </>
        )}
      </div>
    </nav>
  );
}

function sayRange(offset: number, shown: number, total: number | undefined): string {
  const values = { from: offset + 1, to: offset + shown };
  if (shown === 0) return total === undefined ? t('None') : t('None of {total}', { total });
  return total === undefined
    ? t('{from} to {to}', values)
    : t('{from} to {to} of {total}', { ...values, total });
}

function Step(props: { label: string; disabled: boolean; onClick: () => void }) {
  return (
    <button type="button" class="button quiet" disabled={props.disabled} onClick={props.onClick}>
      {props.label}
    </button>
  );
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
