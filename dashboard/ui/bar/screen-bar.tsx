import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { Link } from '../../router.tsx';
import { t } from '../../texts/index.ts';
import { Icon } from '../icons.tsx';
import { say } from '../overlays/toasts.tsx';

interface BarProps {
  /** The title of the window, and of the screen unless `name` shows it. */
  title: string;
  back: { href: string; label: string };
  name?: ComponentChildren;
  /** Next to the name: an address, a state, badges. */
  facts?: ComponentChildren;
  tabs?: ComponentChildren;
  /** At the right end. */
  actions?: ComponentChildren;
}

/** The top of a screen in one line, for screens that need the height for their content. */
export function ScreenBar({ title, back, name, facts, tabs, actions }: BarProps) {
  useEffect(() => {
    document.title = `${title} · Quire`;
  }, [title]);
  return (
    <header class="screen-bar">
      <Link href={back.href} class="bar-button bar-back" label={t('Back to {place}', { place: back.label })}>
        <Icon name="chevron-left" size={18} />
      </Link>
      {name ?? <h1 class="bar-name">{title}</h1>}
      {facts && <div class="bar-facts">{facts}</div>}
      {tabs ?? <span class="bar-tabs" />}
      {actions && <div class="bar-actions">{actions}</div>}
    </header>
  );
}

/** An address that can be opened and copied. */
export function BarAddress({ url, shown, title }: { url: string; shown: string; title: string }) {
  const copy = async () => {
    await navigator.clipboard.writeText(url);
    say(t('URL copied.'));
  };
  return (
    <span class="bar-address">
      <a href={url} target="_blank" rel="noopener" title={title}>
        <span>{shown}</span>
        <Icon name="external" size={17} />
      </a>
      <button
        type="button"
        class="bar-button"
        aria-label={t('Copy URL')}
        data-tip={t('Copy URL')}
        onClick={copy}
      >
        <Icon name="copy" size={17} />
      </button>
    </span>
  );
}
