import { Button } from './controls.tsx';
import { formatNumber } from './format.ts';

interface PagerProps {
  offset: number;
  limit: number;
  total: number;
  onMove: (offset: number) => void;
}

/** Goes through a long list, some rows at a time; nothing when all of it is there. */
export function Pager({ offset, limit, total, onMove }: PagerProps) {
  if (total <= limit) return null;
  const end = Math.min(offset + limit, total);
  return (
    <nav class="pager" aria-label="More rows">
      <Button kind="quiet" disabled={offset === 0} onClick={() => onMove(Math.max(0, offset - limit))}>
        Back
      </Button>
      <span class="faint">
        {formatNumber(offset + 1)} to {formatNumber(end)} of {formatNumber(total)}
      </span>
      <Button kind="quiet" disabled={end >= total} onClick={() => onMove(offset + limit)}>
        Next
      </Button>
    </nav>
  );
}
