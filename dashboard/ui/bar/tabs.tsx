import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Icon } from '../icons.tsx';
import { Menu } from '../overlays/menu.tsx';

/** `badge` follows the label, and `note` is what a menu shows in its place. */
export type Tab = [name: string, label: string, badge?: ComponentChildren, note?: string | undefined];

interface TabsProps {
  base: string;
  tabs: Tab[];
  current: string;
}

/** The tabs of a screen in its bar. Those that do not fit are in a menu. */
export function BarTabs({ base, tabs, current }: TabsProps) {
  const row = useRef<HTMLDivElement>(null);
  const { fitting, slack } = useFit(row, tabs.map(([name]) => name).join());
  const toHref = (name: string) => (name ? `${base}/${name}` : base);
  const rest = tabs.slice(fitting);
  const hidden = rest.find(([name]) => name === current);
  return (
    <nav class="bar-tabs" aria-label={t('Tabs')}>
      <div ref={row} class="bar-tabs-row">
        {tabs.map(([name, label, badge], index) => (
          <Link
            key={name}
            href={toHref(name)}
            current={name === current}
            class={index < fitting ? '' : 'unfit'}
          >
            {label} {badge}
          </Link>
        ))}
      </div>
      {rest.length > 0 && (
        <div class="bar-tabs-rest" style={{ left: `-${slack}px` }}>
          <Menu
            class={`bar-tabs-more ${hidden ? 'current' : ''}`}
            label={hidden ? t('{tab}, more tabs', { tab: hidden[1] }) : t('More tabs')}
            items={rest.map(([name, label, , note]) => ({
              label,
              href: toHref(name),
              ...(note && { note }),
            }))}
          >
            {hidden ? hidden[1] : t('More')}
            <Icon name="chevron-down" size={16} />
          </Menu>
        </div>
      )}
    </nav>
  );
}

interface Fit {
  /** How many tabs fit. */
  fitting: number;
  /** What is left empty after them, in pixels. */
  slack: number;
}

function useFit(row: { current: HTMLElement | null }, names: string): Fit {
  const [fit, setFit] = useState<Fit>({ fitting: Number.POSITIVE_INFINITY, slack: 0 });
  useLayoutEffect(() => {
    const { current: element } = row;
    if (!element) return;
    const measure = () => {
      const next = measureFit(element);
      setFit((before) => (before.fitting === next.fitting && before.slack === next.slack ? before : next));
    };
    const observer = new ResizeObserver(measure);
    // A tab can become wider, with a badge, while the row stays as wide as it can be.
    for (const each of [element, ...element.children]) observer.observe(each);
    measure();
    return () => observer.disconnect();
  }, [names]);
  return fit;
}

/** Tabs that do not fit wrap to a second line, which the row cuts off. */
function measureFit(row: HTMLElement): Fit {
  const tabs = [...row.children] as HTMLElement[];
  const [first] = tabs;
  if (!first || first.offsetWidth > row.clientWidth) return { fitting: 0, slack: row.clientWidth };
  const wrapped = tabs.findIndex(({ offsetTop }) => offsetTop > first.offsetTop);
  const fitting = wrapped < 0 ? tabs.length : wrapped;
  const last = tabs[fitting - 1] ?? first;
  // Not the rounded sizes: the menu would cover the end of the last tab.
  return { fitting, slack: row.getBoundingClientRect().right - last.getBoundingClientRect().right };
}
