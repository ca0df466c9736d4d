import { useState } from 'preact/hooks';
import { me } from '../session.ts';
import type { GridColumn } from './columns.ts';

/** The widths of columns and which are hidden, kept in this browser. */

export interface Layout {
  widths: Record<string, number>;
  hidden: string[];
  /** The optional columns that are shown. */
  shown: string[];
}

const NONE: Layout = { widths: {}, hidden: [], shown: [] };
export const MIN_WIDTH = 64;
export const MAX_WIDTH = 900;

/** `name` identifies the table. */
export function useLayout(name: string) {
  // Contains the user's id, because someone else may log in to this browser.
  const key = `quire.columns.${me.value?.id}.${name}`;
  const [layout, setLayout] = useState(() => read(key));
  const change = (changed: Layout) => {
    setLayout(changed);
    write(key, changed);
  };
  const { widths, hidden, shown } = layout;
  const set = (names: string[], name: string, isIn: boolean) => [
    ...names.filter((each) => each !== name),
    ...(isIn ? [name] : []),
  ];
  return {
    layout,
    isShown: ({ key, isFixed, isOptional }: Pick<GridColumn<never>, 'key' | 'isFixed' | 'isOptional'>) =>
      isFixed || (isOptional ? shown.includes(key) : !hidden.includes(key)),
    setWidth(column: string, width: number | undefined) {
      const { [column]: _, ...others } = widths;
      const fit = width && Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
      change({ ...layout, widths: fit ? { ...others, [column]: fit } : others });
    },
    setShown(column: Pick<GridColumn<never>, 'key' | 'isOptional'>, isShown: boolean) {
      if (column.isOptional) change({ ...layout, shown: set(shown, column.key, isShown) });
      else change({ ...layout, hidden: set(hidden, column.key, !isShown) });
    },
    showAll: () => change({ ...layout, hidden: [] }),
  };
}

export type LayoutControls = ReturnType<typeof useLayout>;

function read(key: string): Layout {
  try {
    const kept = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Layout>;
    const { widths = {}, hidden = [], shown = [] } = kept;
    const isLayout = Array.isArray(hidden) && Array.isArray(shown) && typeof widths === 'object';
    return isLayout ? { widths, hidden, shown } : NONE;
  } catch {
    return NONE;
  }
}

function write(key: string, layout: Layout): void {
  try {
    localStorage.setItem(key, JSON.stringify(layout));
  } catch {
    // The storage is full or disabled. The layout is lost with the window.
  }
}
