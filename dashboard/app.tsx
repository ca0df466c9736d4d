import type { ComponentType } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { isLoggedOut } from './api.ts';
import { Connection, KeyboardHelp, Leaving, Sidebar, toggleSidebar } from './frame/index.ts';
import type { PaletteEntry } from './palette/index.tsx';
import { navigate, onApproach, partsBehind, path } from './router.tsx';
import { loadMe, me } from './session.ts';
import { loadErrorTexts, t } from './texts/index.ts';
import {
  Button,
  Empty,
  type IconName,
  lazy,
  NotFound,
  ScreenHead,
  Skeleton,
  Toasts,
  Tooltips,
  useShortcuts,
} from './ui/index.ts';

type Screens = ComponentType<{ parts: string[] }>;

/** One area of the dashboard. It is a file of its own, which loads when it is needed. */
function area(
  href: string,
  label: string,
  icon: IconName,
  load: () => Promise<Screens>,
  isForAdmins = false,
) {
  const waiting = ({ parts }: { parts: string[] }) => (
    <>
      {parts.length === 0 && <ScreenHead title={label} />}
      <Skeleton lines={8} />
    </>
  );
  return { href, label, icon, Screens: lazy(load, waiting), isForAdmins };
}

/** The table of contents: one area per path. */
const AREAS = [
  area('/', t('Home'), 'home', () => import('./home/index.tsx').then((file) => file.HomeScreens)),
  area('/pages', t('Pages'), 'page', () => import('./pages/index.tsx').then((file) => file.PagesScreens)),
  area('/functions', t('Functions'), 'function', () =>
    import('./functions/index.tsx').then((file) => file.FunctionsScreens),
  ),
  area('/databases', t('Databases'), 'database', () =>
    import('./databases/index.tsx').then((file) => file.DatabasesScreens),
  ),
  area('/connect', t('Connect'), 'connect', () =>
    import('./connect/index.tsx').then((file) => file.ConnectScreens),
  ),
  area('/account', t('Account'), 'user', () =>
    import('./accounts/index.tsx').then((file) => file.AccountScreens),
  ),
  area(
    '/admin',
    t('Administration'),
    'shield',
    () => import('./admin/index.tsx').then((file) => file.AdminScreens),
    true,
  ),
];

const findArea = (href: string) =>
  AREAS.find((each) => (each.href === '/' ? href === '/' : partsBehind(each.href, href)));
onApproach((href) => findArea(href)?.Screens.prefetch());

const shownAreas = () => AREAS.filter((each) => !each.isForAdmins || me.value?.isAdmin);

const Palette = lazy(
  () => import('./palette/index.tsx').then((file) => file.Palette),
  () => null,
);

/** What the palette can do on every screen. */
const listActions = (onHelp: () => void): PaletteEntry[] => {
  const action = (label: string, icon: IconName, rest: Partial<PaletteEntry>): PaletteEntry => ({
    id: `action ${label}`,
    group: t('Actions'),
    label,
    icon,
    ...rest,
  });
  return [
    action(t('New page'), 'plus', { href: '/pages/new', keywords: t('create publish') }),
    action(t('Import'), 'upload', { href: '/pages/import', keywords: t('move zip repository Worker') }),
    action(t('New function'), 'plus', { href: '/functions/_new', keywords: t('create deploy') }),
    action(t('New token'), 'key', { href: '/account/new-token', keywords: t('create API') }),
    action(t('Connect an agent'), 'connect', { href: '/connect', keywords: t('MCP AI') }),
    ...shownAreas().map(({ href, label, icon }) =>
      action(t('Go to {area}', { area: label }), icon, { href }),
    ),
    action(t('Open docs'), 'docs', { href: '/docs', isExternal: true, keywords: t('help') }),
    action(t('Toggle sidebar'), 'sidebar', { run: toggleSidebar, keys: '[' }),
    action(t('Keyboard shortcuts'), 'keyboard', { run: onHelp, keys: '?' }),
    action(t('Log out'), 'log-out', { href: '/logout', isExternal: true }),
  ];
};

/** Loads the other areas when the browser has nothing else to do. */
function prefetchAll(): void {
  // Safari has no requestIdleCallback.
  const whenIdle = globalThis.requestIdleCallback ?? ((task: () => void) => setTimeout(task, 2_000));
  for (const { Screens } of shownAreas()) whenIdle(() => Screens.prefetch());
  whenIdle(() => Palette.prefetch());
  whenIdle(loadErrorTexts);
}

export function App() {
  const [failure, setFailure] = useState<Error>();
  const [isHelping, setHelping] = useState(false);
  const [isSearching, setSearching] = useState(false);
  const start = () => {
    setFailure(undefined);
    loadMe().then(prefetchAll, setFailure);
  };
  useEffect(start, []);
  const toggleSearch = () => {
    // What somebody does in another dialog comes first.
    if (isSearching || !document.querySelector('dialog[open]')) setSearching(!isSearching);
  };
  useShortcuts([
    { keys: 'Mod+K', label: t('Search, or do something'), run: toggleSearch },
    { keys: '?', label: t('Show the keyboard shortcuts'), run: () => setHelping(true) },
    { keys: 'g h', label: t('Go to Home'), run: () => navigate('/') },
    { keys: 'g p', label: t('Go to Pages'), run: () => navigate('/pages') },
    { keys: 'g f', label: t('Go to Functions'), run: () => navigate('/functions') },
    { keys: 'g d', label: t('Go to Databases'), run: () => navigate('/databases') },
    { keys: 'g a', label: t('Go to Account'), run: () => navigate('/account') },
  ]);

  return (
    <>
      <a class="skip" href="#main">
        {t('Skip to main content')}
      </a>
      <Sidebar areas={shownAreas()} onSearch={() => setSearching(true)} onHelp={() => setHelping(true)} />
      <main id="main" tabIndex={-1}>
        <Connection />
        {failure && !isLoggedOut.value ? <NotStarted error={failure} retry={start} /> : <Screen />}
      </main>
      {isSearching && (
        <div class="palette-failure">
          <Palette actions={listActions(() => setHelping(true))} onClose={() => setSearching(false)} />
        </div>
      )}
      {isHelping && <KeyboardHelp onClose={() => setHelping(false)} />}
      <Leaving />
      <Toasts />
      <Tooltips />
    </>
  );
}

/** Instead of every screen: without knowing who is logged in, none can be shown. */
function NotStarted({ error, retry }: { error: Error; retry: () => void }) {
  return (
    <div role="alert">
      <Empty
        icon="warning"
        title={t('This could not be loaded')}
        action={<Button onClick={retry}>{t('Try again')}</Button>}
      >
        {error.message}
      </Empty>
    </div>
  );
}

function Screen() {
  const current = findArea(path.value);
  if (!current) return <NotFound />;
  // Each area is another component, so its state starts anew.
  return <current.Screens key={current.href} parts={partsBehind(current.href) ?? []} />;
}
