import type { ComponentChildren } from 'preact';

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ComponentChildren;
  /** Aligned to the right. */
  isNumber?: boolean;
  /** Buttons for the row, at its end. */
  isActions?: boolean;
  /** Hidden on narrow screens. */
  isMinor?: boolean;
  /** Makes the title a button that sorts by this column. */
  onSort?: () => void;
  sorted?: 'ascending' | 'descending' | undefined;
}

type HeadingProps = Pick<Column<unknown>, 'title' | 'onSort' | 'sorted'> & { class?: string };

/** A column heading. The style sheet draws its arrow from `aria-sort`. */
export function Heading({ title, onSort, sorted, class: names }: HeadingProps) {
  return (
    <th scope="col" class={names} {...(sorted && { 'aria-sort': sorted })}>
      {onSort ? (
        <button type="button" class="sort" onClick={onSort}>
          {title}
        </button>
      ) : (
        title
      )}
    </th>
  );
}

interface TableProps<Row> {
  /** The name for screen readers. */
  caption: string;
  columns: Array<Column<Row>>;
  rows: Row[];
  getKey: (row: Row) => string | number;
}

/** A table that scrolls horizontally if it is wider than the screen. */
export function Table<Row>({ caption, columns, rows, getKey }: TableProps<Row>) {
  const chooseClass = ({ isNumber, isActions, isMinor }: Column<Row>) =>
    [isNumber && 'number', isActions && 'acts', isMinor && 'minor'].filter(Boolean).join(' ');
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section class="table" tabIndex={0} aria-label={caption}>
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <Heading key={column.title} {...column} class={chooseClass(column)} />
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={getKey(row)}>
              {columns.map((column) => (
                <td key={column.title} class={chooseClass(column)} data-title={column.title}>
                  {column.isActions ? <div>{column.cell(row)}</div> : column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
