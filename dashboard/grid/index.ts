/** Tables of data: columns with menus, and filters. */
export type { Choice, ColumnType, FilterColumn, GridColumn, Sort } from './columns.ts';
export { ColumnsPanel } from './columns-panel.tsx';
export { FilterChips } from './filters/chips.tsx';
export { type Condition, type Filter, NO_FILTER, type Operator } from './filters/conditions.ts';
export { Grid } from './grid.tsx';
export { type LayoutControls, useLayout } from './layout.ts';
export { type MenuItem, MenuItems } from './menu.tsx';
export { Popover } from './popover.tsx';
