import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';

interface TabsProps {
  base: string;
  tabs: Array<[name: string, label: ComponentChildren]>;
  current: string;
  /** The name for screen readers, for screens with more than one row of tabs. */
  label?: string;
}

/** The tabs of a screen. Each has its own URL. Where they do not fit, the row scrolls and fades at the hidden ends. */
export function Tabs({ base, tabs, current, label = t('Tabs') }: TabsProps) {
  const row = useRef<HTMLElement>(null);
  useEffect(() => {
    if (row.current) showCurrent(row.current);
  }, [current]);
  useEffect(() => {
    const element = row.current;
    if (!element) return;
    const observer = new ResizeObserver(() => {
      showCurrent(element);
      markEnds(element);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return (
    <nav class="tabs" aria-label={label} ref={row} onScroll={() => row.current && markEnds(row.current)}>
      {tabs.map(([name, text]) => (
        <Link key={name} href={name ? `${base}/${name}` : base} current={name === current}>
          {text}
        </Link>
      ))}
    </nav>
  );
}

/** Scrolls only the row, never the screen, so that the current tab and a part of its neighbours are visible. */
function showCurrent(row: HTMLElement): void {
  const tab = row.querySelector<HTMLElement>('[aria-current]');
  if (!tab) return;
  const [at, within] = [tab.getBoundingClientRect(), row.getBoundingClientRect()];
  row.scrollLeft += at.left + at.width / 2 - within.left - within.width / 2;
}

function markEnds(row: HTMLElement): void {
  const { scrollLeft, clientWidth, scrollWidth } = row;
  row.classList.toggle('more-before', scrollLeft > 1);
  row.classList.toggle('more-after', scrollLeft + clientWidth < scrollWidth - 1);
}
