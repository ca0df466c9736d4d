import { Badge } from '../ui/index.ts';
import type { StorageMode } from './api.ts';

export const MODE_NAMES: Record<StorageMode, string> = {
  page: 'Page',
  solo_app: 'Solo app',
  team_app: 'Team app',
  social_app: 'Social app',
};

/** Who can see the page, and what data it stores. */
export function StatusBadges({
  page,
  mode,
}: {
  page: { is_published: boolean; is_unlisted: boolean };
  mode: StorageMode;
}) {
  return (
    <span class="page-badges">
      {!page.is_published && <Badge kind="warn">Draft</Badge>}
      {page.is_published && !page.is_unlisted && <Badge kind="good">Published</Badge>}
      {page.is_unlisted && <Badge>Unlisted</Badge>}
      {mode !== 'page' && <Badge>{MODE_NAMES[mode]}</Badge>}
    </span>
  );
}
