import { useState } from 'preact/hooks';
import { me } from '../session.ts';

/** The widths of columns and which are hidden, kept in this browser. */

export interface Layout {
  widths: Record<string, number>;
  hidden: string[];
}

const NONE: Layout = { widths: {}, hidden: [] };
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
  const { widths, hidden } = layout;
  return {
    layout,
    setWidth(column: string, width: number | undefined) {
      const { [column]: _, ...others } = widths;
      const fit = width && Math.round(Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, width)));
      change({ hidden, widths: fit ? { ...others, [column]: fit } : others });
    },
    setHidden(column: string, isHidden: boolean) {
      const others = hidden.filter((each) => each !== column);
      change({ widths, hidden: isHidden ? [...others, column] : others });
    },
    showAll: () => change({ widths, hidden: [] }),
  };
}

export type LayoutControls = ReturnType<typeof useLayout>;

function read(key: string): Layout {
  try {
    const { widths = {}, hidden = [] } = JSON.parse(localStorage.getItem(key) ?? '{}') as Partial<Layout>;
    return Array.isArray(hidden) && typeof widths === 'object' ? { widths, hidden } : NONE;
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
