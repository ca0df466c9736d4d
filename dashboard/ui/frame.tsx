import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from '../router.tsx';

interface HeadProps {
  title: string;
  /** The link to the parent screen. */
  back?: { href: string; label: string };
  /** Shown below the title: a badge, a URL. */
  note?: ComponentChildren;
  actions?: ComponentChildren;
}

/** The top of a screen. Its title is also the title of the window. */
export function ScreenHead({ title, back, note, actions }: HeadProps) {
  useEffect(() => {
    document.title = `${title} · Quire`;
  }, [title]);
  return (
    <header class="screen-head">
      <div>
        {back && (
          <Link href={back.href} class="back">
            ← {back.label}
          </Link>
        )}
        <h1>{title}</h1>
        {note && <div class="note">{note}</div>}
      </div>
      {actions && <div class="actions">{actions}</div>}
    </header>
  );
}

/** The tabs of a screen. Each has its own URL. */
export function Tabs({
  base,
  tabs,
  current,
  label = 'Tabs',
}: {
  base: string;
  tabs: Array<[name: string, label: ComponentChildren]>;
  current: string;
  /** The name for screen readers, for screens with more than one row of tabs. */
  label?: string;
}) {
  const row = useRef<HTMLElement>(null);
  // On a phone the row is wider than the screen.
  useEffect(() => {
    row.current?.querySelector('[aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [current]);
  return (
    <nav class="tabs" aria-label={label} ref={row}>
      {tabs.map(([name, label]) => (
        <Link key={name} href={name ? `${base}/${name}` : base} current={name === current}>
          {label}
        </Link>
      ))}
    </nav>
  );
}

/** A part of a screen with a heading. */
export function Section({
  title,
  hint,
  actions,
  children,
}: {
  title: string;
  hint?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="section">
      <header>
        <div>
          <h2>{title}</h2>
          {hint && <p class="hint">{hint}</p>}
        </div>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}

/** A short status. */
export function Badge({
  kind = 'plain',
  children,
}: {
  kind?: 'plain' | 'good' | 'warn' | 'bad';
  children: ComponentChildren;
}) {
  return <span class={`badge ${kind}`}>{children}</span>;
}
