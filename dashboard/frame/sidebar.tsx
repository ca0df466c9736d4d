import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Link, partsBehind, path } from '../router.tsx';
import { me } from '../session.ts';
import { t } from '../texts/index.ts';
import {
  Icon,
  type IconName,
  instance,
  keyNames,
  Mark,
  Menu,
  type MenuItem,
  useShortcuts,
} from '../ui/index.ts';

export interface AreaLink {
  href: string;
  label: string;
  icon: IconName;
}

const STORED = 'quire-sidebar';
/** How many areas the bar of a phone shows beside "More". */
const BAR_ENTRIES = 4;

/** What the person chose in this browser, if anything. */
const chosen = signal(readChosen());

function readChosen(): string | null {
  try {
    return localStorage.getItem(STORED);
  } catch {
    // Storage is disabled.
    return null;
  }
}

/** In a window of this size, screens need the space more than the labels. Phones have a bar instead. */
const small = matchMedia('(46rem < width < 66rem)');
const isSmall = signal(small.matches);
small.addEventListener('change', () => {
  isSmall.value = small.matches;
});

/** True if the sidebar shows only icons. */
const isCollapsed = computed(() => (chosen.value ? chosen.value === 'collapsed' : isSmall.value));

/** Shows only the icons of the sidebar, or also their labels. This browser remembers it. */
export function toggleSidebar(): void {
  chosen.value = isCollapsed.value ? 'open' : 'collapsed';
  try {
    localStorage.setItem(STORED, chosen.value);
  } catch {
    // Then it lasts until the next reload.
  }
}

/** True for the link to the area that is open. `/` is only the home screen. */
const isCurrent = (href: string) => (href === '/' ? path.value === '/' : partsBehind(href) !== undefined);

interface Props {
  areas: readonly AreaLink[];
  onSearch?: () => void;
  onHelp: () => void;
}

/** The areas at the side; on a phone, in a bar at the bottom. */
export function Sidebar({ areas, onSearch, onHelp }: Props) {
  const collapsed = isCollapsed.value;
  useEffect(() => {
    document.documentElement.classList.toggle('narrow-side', collapsed);
  }, [collapsed]);
  useShortcuts([{ keys: '[', label: t('Collapse or expand the sidebar'), run: toggleSidebar }]);
  const tip = (text: string) => (collapsed ? { 'data-tip': text, 'data-tip-side': 'beside' } : {});
  return (
    <nav class="side" aria-label={t('Areas')}>
      <Head collapsed={collapsed} />
      {onSearch && (
        <button type="button" class="side-search" onClick={onSearch} {...tip(t('Search'))}>
          <Icon name="search" />
          <span class="side-label">{t('Search')}</span>
          <span class="side-label kbd" aria-hidden="true">
            {keyNames('Mod+K').join(' ')}
          </span>
        </button>
      )}
      <ul>
        {areas.map(({ href, label, icon }, index) => (
          <li key={href} class={index < BAR_ENTRIES ? '' : 'side-rest'} {...tip(label)}>
            <Link href={href} current={isCurrent(href)}>
              <Icon name={icon} />
              <span class="side-label">{label}</span>
            </Link>
          </li>
        ))}
        <li class="side-more">
          <Menu
            label={t('More')}
            class={`side-entry ${areas.slice(BAR_ENTRIES).some(({ href }) => isCurrent(href)) ? 'current' : ''}`}
            items={[...areas.slice(BAR_ENTRIES), ...personItems({ ...(onSearch && { onSearch }), onHelp })]}
          >
            <Icon name="more" />
            <span class="side-label">{t('More')}</span>
          </Menu>
        </li>
      </ul>
      <Foot collapsed={collapsed} onHelp={onHelp} />
    </nav>
  );
}

function Head({ collapsed }: { collapsed: boolean }) {
  const action = collapsed ? t('Expand the sidebar') : t('Collapse the sidebar');
  return (
    <div class="side-head">
      <Link href="/" class="brand" label={t('{name}, home', { name: instance.name })}>
        <Mark />
        <span class="side-label">{instance.name}</span>
      </Link>
      <button
        type="button"
        class="side-toggle"
        aria-label={action}
        aria-expanded={!collapsed}
        data-tip={action}
        data-tip-side="beside"
        onClick={toggleSidebar}
      >
        <Icon name="sidebar" />
      </button>
    </div>
  );
}

function Foot({ collapsed, onHelp }: { collapsed: boolean; onHelp: () => void }) {
  const user = me.value;
  const tip = (text: string) => (collapsed ? { 'data-tip': text, 'data-tip-side': 'beside' } : {});
  return (
    <div class="foot">
      <a class="side-entry" href="/docs" {...tip(t('Docs'))}>
        <Icon name="docs" />
        <span class="side-label">{t('Docs')}</span>
      </a>
      {user && (
        <Menu
          class="side-entry side-user"
          label={t('Your account, {name}', { name: user.username })}
          items={personItems({ onHelp })}
          {...(collapsed && { tip: user.username })}
        >
          <span class="avatar" data-letter={user.username.slice(0, 1).toUpperCase()} />
          <span class="who side-label">{user.username}</span>
          <span class="side-label">
            <Icon name="chevron-up" size={14} />
          </span>
        </Menu>
      )}
    </div>
  );
}

function personItems({ onSearch, onHelp }: { onSearch?: () => void; onHelp: () => void }): MenuItem[] {
  return [
    ...(onSearch
      ? [{ label: t('Search'), icon: 'search' as const, onSelect: onSearch, startsGroup: true }]
      : []),
    { label: t('Profile'), icon: 'user', href: '/account/profile' },
    { label: t('Keyboard shortcuts'), icon: 'keyboard', onSelect: onHelp, note: '?' },
    { label: t('Docs'), icon: 'docs', href: '/docs', isExternal: true },
    { label: t('Log out'), icon: 'log-out', href: '/logout', isExternal: true, startsGroup: true },
  ];
}
