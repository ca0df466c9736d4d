/** Tables of data: columns with menus, cells that can be edited, search and filters. */

export { Dash } from './cells/dash.tsx';
export { type CellDraft, EditConflict, type GridEditing } from './cells/editing.ts';
export { KeyHints } from './cells/key-hints.tsx';
export type { Choice, ColumnType, FilterColumn, GridColumn, Sort } from './columns.ts';
export { ColumnsPanel } from './columns-panel.tsx';
export { FilterChips } from './filters/chips.tsx';
export { type Condition, type Filter, NO_FILTER, type Operator } from './filters/conditions.ts';
export { fromWhere, toWhere } from './filters/where.ts';
export { Grid } from './grid.tsx';
export { type LayoutControls, useLayout } from './layout.ts';
export { type MenuItem, MenuItems } from './menu.tsx';
export type { Place } from './place/place.ts';
export { usePlace } from './place/use-place.ts';
export { Popover } from './popover.tsx';
export { chooseTitle } from './title-column.ts';
