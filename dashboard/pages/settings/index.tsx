import { useRef } from 'preact/hooks';
import { t } from '../../texts/index.ts';
import { say } from '../../ui/index.ts';
import { type PageDetail, patchPage } from '../api.ts';
import { LeaveSection } from '../shared/leave.tsx';
import { AccessSection } from './access.tsx';
import type { Apply, SettingsProps } from './apply.ts';
import { DangerSection } from './danger.tsx';
import { DomainsSection } from './domains/index.tsx';
import { type FeatureFlag, FeaturesSection } from './features.tsx';
import { GeneralSection } from './general.tsx';
import { PictureSection } from './picture.tsx';
import { StorageSection } from './storage.tsx';
import { type VisibilityFlag, VisibilitySection, withGallery } from './visibility.tsx';

/** A setting that is on or off. */
type PageFlag = VisibilityFlag | FeatureFlag;

/** All settings of a page. */
export function SettingsScreen({ page, onChange }: SettingsProps) {
  // Responses may arrive out of order, so each changes only its own fields.
  const latest = useRef(page);
  latest.current = page;
  const change = (fields: Partial<PageDetail>) => onChange({ ...latest.current, ...fields });

  const apply: Apply = async (patch) => {
    const { slug } = await patchPage(page.id, patch);
    const { storage_mode, base_version, ...fields } = patch;
    const changed = { ...fields, ...(slug && { slug }), ...(storage_mode && { storageMode: storage_mode }) };
    change(changed);
    say(slug ? t('The page is now at {path}.', { path: `/p/${slug}` }) : t('The page is updated.'));
    return { ...latest.current, ...changed };
  };
  // Switches take effect immediately and change back if the request fails.
  const applyNow = ({ ...flags }: Partial<Record<PageFlag, boolean>>) => {
    const changed = withGallery(flags);
    const before = Object.fromEntries(Object.keys(changed).map((flag) => [flag, page[flag as PageFlag]]));
    change(changed);
    apply(flags).catch((error: Error) => {
      change(before);
      say(error.message, 'bad');
    });
  };

  const isOwner = page.role === 'owner';
  return (
    <div class="page-settings">
      <GeneralSection page={page} apply={apply} />
      <VisibilitySection page={page} applyNow={applyNow} />
      <AccessSection page={page} onChange={({ access, is_listed }) => change({ access, is_listed })} />
      {isOwner && <DomainsSection page={page} />}
      <StorageSection page={page} apply={apply} />
      <FeaturesSection page={page} applyNow={applyNow} />
      {isOwner && <PictureSection page={page} onChange={onChange} />}
      {isOwner ? <DangerSection page={page} /> : <LeaveSection page={page} />}
    </div>
  );
}
