import { Button, formatNumber, Select } from '../../../ui/index.ts';
import type { ListQuery } from '../api.ts';

const SIZES = [
  ['25', '25 a page'],
  ['50', '50 a page'],
  ['100', '100 a page'],
] as const;

interface Props {
  query: ListQuery;
  shown: number;
  total: number;
  onMove: (to: Pick<ListQuery, 'limit' | 'offset'>) => void;
}

/** Which of the records are shown, and the ways to the others. */
export function Pager({ query: { limit, offset }, shown, total, onMove }: Props) {
  const range = shown === 0 ? 'None' : `${formatNumber(offset + 1)}–${formatNumber(offset + shown)}`;
  return (
    <nav class="data-pager" aria-label="Pages of records">
      <span class="faint" role="status">
        {range} of {formatNumber(total)}
      </span>
      <div class="actions">
        <Select
          label="Records a page"
          hideLabel
          value={String(limit) as '25' | '50' | '100'}
          options={SIZES}
          onChange={(size) => onMove({ limit: Number(size), offset: 0 })}
        />
        <Button
          kind="quiet"
          disabled={offset === 0}
          onClick={() => onMove({ limit, offset: Math.max(0, offset - limit) })}
        >
          Previous
        </Button>
        <Button
          kind="quiet"
          disabled={offset + shown >= total || shown === 0}
          onClick={() => onMove({ limit, offset: offset + limit })}
        >
          Next
        </Button>
      </div>
    </nav>
  );
}
