import type { PageIsolation } from '../../../../contract/pages/isolation.ts';
import { PAGE_SWITCHES } from '../../../../contract/pages/pages.ts';
import type { PageRow } from '../../../platform/storage/index.ts';

type Switch = (typeof PAGE_SWITCHES)[number];

/** The switches of a page as columns. Those that are left out are off. */
export function toColumns(switches: Partial<Record<Switch, boolean>>): Pick<PageRow, Switch> {
  const columns = PAGE_SWITCHES.map((name) => [name, switches[name] ? 1 : 0]);
  return Object.fromEntries(columns) as Pick<PageRow, Switch>;
}

/** The switches of a page as its owner sees them. */
export function readSwitches(row: PageRow): Record<Switch, boolean> {
  return Object.fromEntries(PAGE_SWITCHES.map((name) => [name, row[name] === 1])) as Record<Switch, boolean>;
}

export const readIsolation = ({ isolation }: Pick<PageRow, 'isolation'>): PageIsolation =>
  JSON.parse(isolation);
