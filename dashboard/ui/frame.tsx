import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Link } from '../router.tsx';

interface HeadProps {
  title: string;
  /** Where this belongs to. */
  back?: { href: string; label: string };
  /** Beside the title: a badge, an address. */
  note?: ComponentChildren;
  actions?: ComponentChildren;
}

/** The top of a screen; its title is the window's too. */
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

/** The parts of one thing, each with an address of its own. */
export function Tabs({
  base,
  tabs,
  current,
  label = 'Parts',
}: {
  base: string;
  tabs: Array<[string, string]>;
  current: string;
  /** What they are parts of, where a screen has more than one such row. */
  label?: string;
}) {
  const row = useRef<HTMLElement>(null);
  // On a phone the row is longer than the screen.
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

/** A word about how something stands. */
export function Badge({
  kind = 'plain',
  children,
}: {
  kind?: 'plain' | 'good' | 'warn' | 'bad';
  children: ComponentChildren;
}) {
  return <span class={`badge ${kind}`}>{children}</span>;
}
