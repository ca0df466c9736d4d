import type { AccessMode } from '../../contract/sites/access-modes.ts';
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
  page: { is_published: boolean; is_unlisted: boolean; access?: { mode: AccessMode } };
  mode: StorageMode;
}) {
  return (
    <span class="page-badges">
      {!page.is_published && <Badge kind="warn">Draft</Badge>}
      {page.is_published && !page.is_unlisted && <Badge kind="good">Published</Badge>}
      {page.access && page.access.mode !== 'public' && <Badge>{ACCESS_BADGES[page.access.mode]}</Badge>}
      {page.is_unlisted && <Badge>Unlisted</Badge>}
      {mode !== 'page' && <Badge>{MODE_NAMES[mode]}</Badge>}
    </span>
  );
}
