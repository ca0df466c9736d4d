import type { ComponentChildren } from 'preact';
import { isLoggedOut, isOffline } from '../api.ts';
import { path } from '../router.tsx';
import { rich, t } from '../texts/index.ts';

/** The notice at the top of every screen when the service cannot be reached or the login has ended. */
export function Connection(): ComponentChildren {
  if (isLoggedOut.value) {
    return (
      <div class="notice warn" role="alert">
        <p>
          {rich(
            'You are logged out. Your changes are still here: <tab>log in in another tab</tab> and continue, or <here>log in here</here>.',
            {
              tab: (text) => (
                <a href="/login" target="_blank" rel="noopener">
                  {text}
                </a>
              ),
              here: (text) => <a href={`/login?next=${encodeURIComponent(path.value)}`}>{text}</a>,
            },
          )}
        </p>
      </div>
    );
  }
  if (!isOffline.value) return null;
  return (
    <div class="notice warn" role="status">
      <p>{t('Cannot reach the service. Your changes are still here. Try again in a moment.')}</p>
    </div>
  );
}
