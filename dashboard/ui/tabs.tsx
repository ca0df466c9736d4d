import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { useScrollingRow } from './scrolling-row.ts';

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
  useScrollingRow(row, '[aria-current]', current);
  return (
    <nav class="tabs" aria-label={label} ref={row}>
      {tabs.map(([name, text]) => (
        <Link key={name} href={name ? `${base}/${name}` : base} current={name === current}>
          {text}
        </Link>
      ))}
    </nav>
  );
}
