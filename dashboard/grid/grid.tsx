import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { t } from '../texts/index.ts';
import { chooseWidth, type GridColumn, type Sort } from './columns.ts';
import { HeadCell } from './head-cell.tsx';
import type { LayoutControls } from './layout.ts';

export interface GridProps<Row> {
  /** The name for screen readers. */
  caption: string;
  columns: Array<GridColumn<Row>>;
  rows: Row[];
  getKey: (row: Row) => string | number;
  /** The name of a row for screen readers. */
  getName?: (row: Row) => string;
  controls: LayoutControls;
  sort?: Sort | undefined;
  onSort?: (sort: Sort | undefined) => void;
  /** Adds a condition on a column. */
  onFilter?: Parameters<typeof HeadCell>[0]['onFilter'];
  selection?: { has: (row: Row) => boolean; onSelect: (rows: Row[], isSelected: boolean) => void };
  getClass?: (row: Row) => string;
  /** The last column, which stays visible. */
  actions?: (row: Row) => ComponentChildren;
  isBusy?: boolean;
}

const px = (width: number) => `${width}px`;
const CHECK_WIDTH = 40;
const ACTIONS_WIDTH = 100;

/** The columns that are not hidden. */
export const shownColumns = <Row,>(columns: Array<GridColumn<Row>>, { layout }: LayoutControls) =>
  columns.filter(({ key, isFixed }) => isFixed || !layout.hidden.includes(key));

/** A table with menus at its columns, whose widths can be changed. */
export function Grid<Row>(props: GridProps<Row>) {
  const { caption, controls, selection, actions, rows } = props;
  const columns = shownColumns(props.columns, controls);
  const widths = columns.map((column) => controls.layout.widths[column.key] ?? chooseWidth(column));
  const total = widths.reduce((sum, width) => sum + width, 0);
  const table = useRef<HTMLTableElement>(null);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table grid" tabIndex={0} aria-label={caption} aria-busy={props.isBusy ?? false}>
      <table
        ref={table}
        style={{ width: px(total + (selection ? CHECK_WIDTH : 0) + (actions ? ACTIONS_WIDTH : 0)) }}
      >
        <colgroup>
          {selection && <col style={{ width: px(CHECK_WIDTH) }} />}
          {columns.map(({ key }, at) => (
            <col key={key} style={{ width: px(widths[at] ?? 0) }} />
          ))}
          {actions && <col style={{ width: px(ACTIONS_WIDTH) }} />}
        </colgroup>
        <thead>
          <tr>
            {selection && <SelectAll {...{ rows, selection }} />}
            {columns.map((column, at) => (
              <HeadCell
                key={column.key}
                {...{ column, controls }}
                width={widths[at] ?? 0}
                sort={props.sort}
                onSort={props.onSort}
                onFilter={props.onFilter}
                columns={props.columns}
              />
            ))}
            {actions && (
              <th scope="col" class="grid-actions">
                {t('Actions')}
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <GridRow key={props.getKey(row)} {...props} columns={columns} row={row} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function SelectAll<Row>({ rows, selection }: Required<Pick<GridProps<Row>, 'rows' | 'selection'>>) {
  return (
    <th scope="col" class="grid-check">
      <input
        type="checkbox"
        aria-label={t('Select all on this page')}
        checked={rows.length > 0 && rows.every(selection.has)}
        onChange={(event) => selection.onSelect(rows, event.currentTarget.checked)}
      />
    </th>
  );
}

function GridRow<Row>({ row, ...props }: GridProps<Row> & { row: Row }) {
  const { columns, selection, actions } = props;
  const isSelected = selection?.has(row) ?? false;
  return (
    <tr class={props.getClass?.(row) ?? ''} {...(isSelected && { 'data-selected': true })}>
      {selection && (
        <td class="grid-check">
          <input
            type="checkbox"
            aria-label={t('Select {name}', { name: props.getName?.(row) ?? '' })}
            checked={isSelected}
            onChange={(event) => selection.onSelect([row], event.currentTarget.checked)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td key={column.key} data-title={column.title} class={column.type === 'number' ? 'number' : ''}>
          {column.cell(row)}
        </td>
      ))}
      {actions && <td class="grid-actions">{actions(row)}</td>}
    </tr>
  );
}
