import type { AccessMode } from '../../contract/sites/access-modes.ts';
import { t } from '../texts/index.ts';
import { Badge } from '../ui/index.ts';
import type { StorageMode } from './api.ts';

export const MODE_NAMES: Record<StorageMode, string> = {
  page: 'Page',
  solo_app: 'Solo app',
  team_app: 'Team app',
  social_app: 'Social app',
};

export const ACCESS_NAMES: Record<AccessMode, string> = {
  public: 'Anyone',
  password: 'People with the password',
  people: 'Some people',
  team: 'The team',
  private: 'Private',
};

/** Short, for badges. */
const ACCESS_BADGES: Record<AccessMode, string> = {
  ...ACCESS_NAMES,
  password: 'Password',
  team: 'Team only',
};

/** Who can see the page, and what data it stores. */
export function StatusBadges({
  page,
  mode,
}: {
  page: {
    is_published: boolean;
    is_unlisted: boolean;
    is_listed?: boolean;
    access?: { mode: AccessMode };
    taken_down?: { reason: string } | undefined;
  };
  mode: StorageMode;
}) {
  if (page.taken_down)
    return (
      <span class="page-badges">
        <Badge kind="bad">Taken down</Badge>
      </span>
    );
  return (
    <span class="page-badges">
      {!page.is_published && <Badge kind="warn">{t('Not published')}</Badge>}
      {page.is_published && !page.is_unlisted && !page.is_listed && <Badge kind="good">Published</Badge>}
      {page.is_listed && <Badge kind="good">{t('In the gallery')}</Badge>}
      {page.access && page.access.mode !== 'public' && <Badge>{ACCESS_BADGES[page.access.mode]}</Badge>}
      {page.is_unlisted && <Badge>Unlisted</Badge>}
      {mode !== 'page' && <Badge>{MODE_NAMES[mode]}</Badge>}
    </span>
  );
}
