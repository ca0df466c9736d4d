import { useRef, useState } from 'preact/hooks';
import { t } from '../texts/index.ts';
import { cellClass, type FilterColumn, type GridColumn, type Sort } from './columns.ts';
import type { Condition } from './filters/conditions.ts';
import { FilterPanel } from './filters/panel.tsx';
import { type LayoutControls, MAX_WIDTH, MIN_WIDTH } from './layout.ts';
import { type MenuItem, MenuItems } from './menu.tsx';
import { Popover } from './popover.tsx';

interface Props {
  // biome-ignore lint/suspicious/noExplicitAny: a heading does not read the rows
  column: GridColumn<any>;
  columns: FilterColumn[];
  controls: LayoutControls;
  width: number;
  sort?: Sort | undefined;
  onSort?: ((sort: Sort | undefined) => void) | undefined;
  onFilter?: ((condition: Condition) => void) | undefined;
}

/** The heading of a column: a click sorts, and its menu has everything else. */
export function HeadCell(props: Props) {
  const { column, controls, width, sort, onSort } = props;
  const { key, title, sortKey } = column;
  const sorted = sortKey !== undefined && sort?.key === sortKey ? sort.direction : undefined;
  const sortBy = (direction: Sort['direction'] | undefined) => () =>
    sortKey !== undefined && onSort?.(direction && { key: sortKey, direction });
  return (
    <th scope="col" class={cellClass(column)} {...(sorted && { 'aria-sort': sorted })}>
      <div class="grid-head">
        {sortKey !== undefined && onSort ? (
          <button
            type="button"
            class="sort"
            title={title}
            onClick={sortBy(nextDirection(sorted, column.isAscendingFirst ?? false))}
          >
            {title}
          </button>
        ) : (
          <span title={title}>{title}</span>
        )}
        <ColumnMenu {...props} sorted={sorted} sortBy={sortBy} />
      </div>
      <Resizer width={width} onResize={(next) => controls.setWidth(key, next)} />
    </th>
  );
}

function nextDirection(sorted: Sort['direction'] | undefined, isAscendingFirst: boolean): Sort['direction'] {
  if (sorted) return sorted === 'descending' ? 'ascending' : 'descending';
  return isAscendingFirst ? 'ascending' : 'descending';
}

interface ColumnMenuProps extends Props {
  sorted: Sort['direction'] | undefined;
  sortBy: (direction: Sort['direction'] | undefined) => () => void;
}

function ColumnMenu(props: ColumnMenuProps) {
  const { column, columns, onFilter } = props;
  const { key, title } = column;
  const [isFiltering, setFiltering] = useState(false);
  const label = t('Column {title}', { title });
  const filter = { label: t('Filter…'), keepsOpen: true, onChoose: () => setFiltering(true) };
  return (
    <Popover
      kind={isFiltering ? 'dialog' : 'menu'}
      label={label}
      triggerLabel={label}
      trigger={<span aria-hidden="true">⌄</span>}
      class="grid-menu"
      onClose={() => setFiltering(false)}
    >
      {(close) =>
        isFiltering && onFilter ? (
          <FilterPanel
            columns={columns}
            field={key}
            onApply={(condition) => {
              close();
              onFilter(condition);
            }}
          />
        ) : (
          <MenuItems
            onDone={close}
            items={[...(column.canFilter && onFilter ? [filter] : []), ...listItems(props)]}
          />
        )
      }
    </Popover>
  );
}

function listItems({ column, controls, width, onSort, sorted, sortBy }: ColumnMenuProps): MenuItem[] {
  const { key, sortKey, isFixed } = column;
  const sortItem = (label: string, direction: Sort['direction']) => ({
    label,
    isChosen: sorted === direction,
    onChoose: sortBy(direction),
  });
  const canSort = sortKey !== undefined && onSort !== undefined;
  return [
    ...(canSort ? [sortItem(t('Sort ascending'), 'ascending')] : []),
    ...(canSort ? [sortItem(t('Sort descending'), 'descending')] : []),
    ...(sorted ? [{ label: t('Clear sort'), onChoose: sortBy(undefined) }] : []),
    { label: t('Widen'), onChoose: () => controls.setWidth(key, width + 80) },
    { label: t('Narrow'), onChoose: () => controls.setWidth(key, width - 80) },
    ...(isFixed ? [] : [{ label: t('Hide column'), onChoose: () => controls.setShown(column, false) }]),
  ];
}

/** The right edge of a heading. It can be dragged; the menu has the same for the keyboard. */
function Resizer({ width, onResize }: { width: number; onResize: (width: number | undefined) => void }) {
  const start = useRef<{ x: number; width: number }>(undefined);
  const move = (event: PointerEvent) => {
    if (!start.current) return;
    const next = start.current.width + event.clientX - start.current.x;
    onResize(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, next)));
  };
  return (
    <span
      class="grid-resizer"
      aria-hidden="true"
      onPointerDown={(event) => {
        event.preventDefault();
        start.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={move}
      onPointerUp={() => {
        start.current = undefined;
      }}
      onDblClick={() => onResize(undefined)}
    />
  );
}
