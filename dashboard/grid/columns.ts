import type { ComponentChildren } from 'preact';

/** A value that a filter compares with. */
export type Choice = string | number | boolean | null;

/** What values a column has. It decides the filters and the width. */
export type ColumnType = 'text' | 'number' | 'boolean' | 'date' | 'choice' | 'list' | 'object' | 'any';

/** What a filter needs to know about a column. */
export interface FilterColumn {
  /** The name in filters. */
  key: string;
  title: string;
  type: ColumnType;
  /** The values of a column of type `choice`. */
  choices?: Choice[];
}

export interface GridColumn<Row> extends FilterColumn {
  cell: (row: Row) => ComponentChildren;
  /** The name in the sort order; undefined if the column cannot be sorted. */
  sortKey?: string | undefined;
  /** Whether the first click sorts the smallest values to the top. */
  isAscendingFirst?: boolean;
  canFilter: boolean;
  /** A column that is always shown. */
  isFixed?: boolean;
  /** The column that names the rows. It stays visible, and has the button that opens a row. */
  isTitle?: boolean;
  /** Not shown until somebody chooses it. */
  isOptional?: boolean;
  width?: number;
}

export interface Sort {
  key: string;
  direction: 'ascending' | 'descending';
}

const WIDTHS: Record<ColumnType, number> = {
  text: 220,
  number: 120,
  boolean: 110,
  date: 170,
  choice: 150,
  list: 160,
  object: 160,
  any: 180,
};

export const chooseWidth = (column: Pick<GridColumn<unknown>, 'type' | 'width'>) =>
  column.width ?? WIDTHS[column.type];

/** The class of the cells of a column. */
export const cellClass = ({ type, isTitle }: Pick<GridColumn<unknown>, 'type' | 'isTitle'>) =>
  isTitle ? 'grid-title' : type === 'number' ? 'number' : '';
