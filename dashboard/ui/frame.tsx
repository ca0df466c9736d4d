import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from '../router.tsx';
import { t } from '../texts/index.ts';
import { formatMoment } from './format.ts';
import { Icon } from './icons.tsx';
import { instance } from './instance.ts';

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
    document.title = `${title} · ${instance.name}`;
  }, [title]);
  return (
    <header class="screen-head">
      <div>
        {back && <Back {...back} />}
        <h1>{title}</h1>
        {note && <div class="note">{note}</div>}
      </div>
      {actions && <div class="actions">{actions}</div>}
    </header>
  );
}

/** A link to the screen above. */
function Back({ href, label }: { href: string; label: string }) {
  return (
    <Link href={href} class="back">
      <Icon name="chevron-left" size={16} />
      {label}
    </Link>
  );
}

/** A part of a screen with a heading. */
export function Section({
  id,
  title,
  back,
  hint,
  actions,
  children,
}: {
  /** For its address, and for the index of settings. */
  id?: string;
  title: string;
  back?: HeadProps['back'];
  hint?: ComponentChildren;
  actions?: ComponentChildren;
  children: ComponentChildren;
}) {
  return (
    <section class="section" id={id}>
      <header>
        <div>
          {back && <Back {...back} />}
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

/** Tells the owner that an administrator has taken something down, and why. */
export function TakenDownNotice({
  what,
  at,
  reason,
}: {
  what: 'page' | 'function';
  at: string;
  reason: string;
}) {
  const date = formatMoment(at);
  return (
    <div class="notice bad">
      <p>
        <strong>{t('Taken down: {reason}', { reason })}</strong>
        <br />
        {what === 'page'
          ? t(
              'An administrator took this page down on {date}. Nobody can see it. You can still change, export and delete it. Ask an administrator to restore it.',
              { date },
            )
          : t(
              'An administrator took this function down on {date}. Nobody can call it. You can still change, export and delete it. Ask an administrator to restore it.',
              { date },
            )}
      </p>
    </div>
  );
}
