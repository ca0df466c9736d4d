import type { RefObject } from 'preact';
import { useEffect } from 'preact/hooks';

/**
 * For a row of tabs or buttons that scrolls where it does not fit: shows the chosen one, and marks the ends that hide
 * more with the classes `more-before` and `more-after`. The style sheet fades them.
 */
export function useScrollingRow(row: RefObject<HTMLElement | null>, chosen: string, value: unknown): void {
  useEffect(() => {
    if (row.current) showChosen(row.current, chosen);
  }, [value]);
  useEffect(() => {
    const element = row.current;
    if (!element) return;
    const mark = () => markEnds(element);
    const observer = new ResizeObserver(() => {
      showChosen(element, chosen);
      mark();
    });
    observer.observe(element);
    element.addEventListener('scroll', mark);
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', mark);
    };
  }, []);
}

/** Scrolls only the row, never the screen, so that the chosen one and a part of its neighbours are visible. */
function showChosen(row: HTMLElement, chosen: string): void {
  const item = row.querySelector<HTMLElement>(chosen);
  if (!item) return;
  const [at, within] = [item.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += at.left + at.width / 2 - within.left - within.width / 2;
}

function markEnds(row: HTMLElement): void {
  const { scrollLeft, clientWidth, scrollWidth } = row;
  row.classList.toggle('more-before', scrollLeft > 1);
  row.classList.toggle('more-after', scrollLeft + clientWidth < scrollWidth - 1);
}
