import { t } from '../texts/index.ts';
import { Icon } from '../ui/index.ts';
import type { GridEditing } from './cells/editing.ts';
import { useCells } from './cells/use-cells.tsx';
import { cellClass, chooseWidth, type GridColumn, type Sort } from './columns.ts';
import { HeadCell } from './head-cell.tsx';
import type { LayoutControls } from './layout.ts';

export interface GridProps<Row> {
  /** The name for screen readers. */
  caption: string;
  columns: Array<GridColumn<Row>>;
  rows: Row[];
  getKey: (row: Row) => string | number;
  /** The name of a row for screen readers. */
  getName: (row: Row) => string;
  controls: LayoutControls;
  sort?: Sort | undefined;
  onSort?: (sort: Sort | undefined) => void;
  /** Adds a condition on a column. */
  onFilter?: Parameters<typeof HeadCell>[0]['onFilter'];
  selection?: { has: (row: Row) => boolean; onSelect: (rows: Row[], isSelected: boolean) => void };
  getClass?: (row: Row) => string;
  /** Opens a row, with all that it has. */
  onOpen?: (row: Row) => void;
  /** How cells are edited where they are. Without it, none can be. */
  editing?: GridEditing<Row> | undefined;
  isBusy?: boolean;
}

const px = (width: number) => `${width}px`;
const CHECK_WIDTH = 40;

/** On a phone, the title leaves room for what it names. */
const MAX_TITLE = 0.42;

function fit<Row>(column: GridColumn<Row>, chosen: number | undefined): number {
  const width = chosen ?? chooseWidth(column);
  return column.isTitle ? Math.min(width, Math.max(150, innerWidth * MAX_TITLE)) : width;
}

/** A table with menus at its columns, whose widths can be changed. Keys move between its cells. */
export function Grid<Row>(props: GridProps<Row>) {
  const { caption, controls, selection, rows } = props;
  const columns = props.columns.filter(controls.isShown);
  const widths = columns.map((column) => fit(column, controls.layout.widths[column.key]));
  const total = widths.reduce((sum, width) => sum + width, 0);
  const cells = useCells({
    ...{ rows, columns, before: selection ? 1 : 0, getKey: props.getKey, getName: props.getName },
    ...{ editing: props.editing, onOpen: props.onOpen },
  });
  return (
    <section
      class={selection ? 'table grid selectable' : 'table grid'}
      aria-label={caption}
      aria-busy={props.isBusy ?? false}
    >
      <table
        ref={cells.table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: keys move between the cells of a grid
        role="grid"
        style={{ width: px(total + (selection ? CHECK_WIDTH : 0)) }}
        {...cells.handlers}
      >
        <colgroup>
          {selection && <col style={{ width: px(CHECK_WIDTH) }} />}
          {columns.map(({ key }, at) => (
            <col key={key} style={{ width: px(widths[at] ?? 0) }} />
          ))}
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
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <GridRow key={props.getKey(row)} {...props} columns={columns} row={row} isFirst={at === 0} />
          ))}
        </tbody>
      </table>
      {cells.editor}
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

function GridRow<Row>({ row, isFirst, ...props }: GridProps<Row> & { row: Row; isFirst: boolean }) {
  const { columns, selection } = props;
  const isSelected = selection?.has(row) ?? false;
  return (
    <tr class={props.getClass?.(row) ?? ''} {...(isSelected && { 'data-selected': true })}>
      {selection && (
        <td class="grid-check">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={t('Select {name}', { name: props.getName(row) })}
            checked={isSelected}
            onChange={(event) => selection.onSelect([row], event.currentTarget.checked)}
          />
        </td>
      )}
      {columns.map((column, at) => (
        <td key={column.key} class={cellClass(column)} tabIndex={isFirst && at === 0 ? 0 : -1}>
          {column.isTitle ? <TitleCell {...{ row, column }} {...props} /> : column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** The name of a row, and the button that opens it. */
function TitleCell<Row>({
  row,
  column,
  getName,
  onOpen,
}: GridProps<Row> & { row: Row; column: GridColumn<Row> }) {
  return (
    <div>
      <span>{column.cell(row)}</span>
      {onOpen && (
        <button
          type="button"
          class="grid-open"
          tabIndex={-1}
          aria-label={t('Open {name}', { name: getName(row) })}
          title={t('Open')}
          onClick={() => onOpen(row)}
        >
          <Icon name="full-screen" size={16} />
        </button>
      )}
    </div>
  );
}
