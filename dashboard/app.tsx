import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { AccountScreens } from './accounts/index.tsx';
import { AdminScreens } from './admin/index.tsx';
import { isLoggedOut, isOffline } from './api.ts';
import { FunctionsScreens } from './functions/index.tsx';
import { PagesScreens } from './pages/index.tsx';
import { Link, navigate, partsBehind, path } from './router.tsx';
import { loadMe, me } from './session.ts';
import { Failure, NotFound, Toasts } from './ui/index.ts';

/** The table of contents: one area per path. */
const AREAS = [
  { href: '/pages', label: 'Pages', Screens: PagesScreens },
  { href: '/functions', label: 'Functions', Screens: FunctionsScreens },
  { href: '/account', label: 'Account', Screens: AccountScreens },
  { href: '/admin', label: 'Administration', Screens: AdminScreens, isForAdmins: true },
] as const;

export function App() {
  const [failure, setFailure] = useState<Error>();
  const start = () => {
    setFailure(undefined);
    loadMe().catch(setFailure);
  };
  useEffect(start, []);
  useEffect(() => {
    if (path.value === '/') navigate('/pages', { replace: true });
  }, [path.value]);

  return (
    <>
      <a class="skip" href="#main">
        Skip to main content
      </a>
      <Navigation />
      <main id="main" tabIndex={-1}>
        <Connection />
        {failure && !isLoggedOut.value ? <Failure error={failure} retry={start} /> : <Screen />}
      </main>
      <Toasts />
    </>
  );
}

function Navigation() {
  const areas = AREAS.filter((area) => !('isForAdmins' in area) || me.value?.isAdmin);
  return (
    <nav class="side" aria-label="Areas">
      <Link href="/pages" class="brand">
        <Mark />
        Quire
      </Link>
      <ul>
        {areas.map(({ href, label }) => (
          <li key={href}>
            <Link href={href} current={partsBehind(href) !== undefined}>
              {label}
            </Link>
          </li>
        ))}
      </ul>
      <div class="foot">
        <a href="/docs">Docs</a>
        {me.value && (
          <p>
            <span class="who">{me.value.username}</span>
            <a href="/logout">Log out</a>
          </p>
        )}
      </div>
    </nav>
  );
}

/** The logo: the folds of a quire, seen from above. */
function Mark() {
  return (
    <svg class="mark" viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
      <path d="M20 4h-9.5a8 8 0 0 0 0 16H20M20 8h-9.5a4 4 0 0 0 0 8H20" />
    </svg>
  );
}

function Screen() {
  for (const { href, Screens } of AREAS) {
    const parts = partsBehind(href);
    if (parts) return <Screens parts={parts} />;
  }
  if (path.value === '/') return null;
  return <NotFound />;
}

/** The notice at the top of every screen when the service cannot be reached or the login has ended. */
function Connection(): ComponentChildren {
  if (isLoggedOut.value) {
    return (
      <div class="notice warn" role="alert">
        <p>
          You are logged out. Your changes are still here:{' '}
          <a href="/login" target="_blank" rel="noopener">
            log in in another tab
          </a>{' '}
          and continue, or <a href={`/login?next=${encodeURIComponent(path.value)}`}>log in here</a>.
        </p>
      </div>
    );
  }
  if (!isOffline.value) return null;
  return (
    <div class="notice warn" role="status">
      <p>Cannot reach the service. Your changes are still here. Try again in a moment.</p>
    </div>
  );
}
