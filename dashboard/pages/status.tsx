import type { AccessMode } from '../../contract/pages/access-modes.ts';
import { t } from '../texts/index.ts';
import { ACCESS_BADGES, Badge } from '../ui/index.ts';
import type { StorageMode } from './api.ts';

export const MODE_NAMES: Record<StorageMode, string> = {
  page: t('Page'),
  solo_app: t('Solo app'),
  team_app: t('Team app'),
  social_app: t('Social app'),
};

/** The same inside a sentence. */
export const MODE_WORDS: Record<StorageMode, string> = {
  page: t('page'),
  solo_app: t('solo app'),
  team_app: t('team app'),
  social_app: t('social app'),
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
        <Badge kind="bad">{t('Taken down')}</Badge>
      </span>
    );
  return (
    <span class="page-badges">
      {!page.is_published && <Badge kind="warn">{t('Not published')}</Badge>}
      {page.is_published && !page.is_unlisted && !page.is_listed && (
        <Badge kind="good">{t('Published')}</Badge>
      )}
      {page.is_listed && <Badge kind="good">{t('In the gallery')}</Badge>}
      {page.access && page.access.mode !== 'public' && <Badge>{ACCESS_BADGES[page.access.mode]}</Badge>}
      {page.is_unlisted && <Badge>{t('Unlisted')}</Badge>}
      {mode !== 'page' && (
        <span class="page-stores">
          <Badge>{MODE_NAMES[mode]}</Badge>
        </span>
      )}
    </span>
  );
}
