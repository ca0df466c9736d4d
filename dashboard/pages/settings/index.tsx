import { useRef } from 'preact/hooks';
import { Section, Switch, say } from '../../ui/index.ts';
import { type PageDetail, patchPage } from '../api.ts';
import { AccessSection } from './access.tsx';
import type { Apply, SettingsProps } from './apply.ts';
import { DangerSection } from './danger.tsx';
import { DomainsSection } from './domains/index.tsx';
import { type FeatureFlag, FeaturesSection } from './features.tsx';
import { GeneralSection } from './general.tsx';
import { PictureSection } from './picture.tsx';
import { StorageSection } from './storage.tsx';

/** A setting that is on or off. */
type PageFlag = 'is_published' | 'is_unlisted' | FeatureFlag;

/** All settings of a page. */
export function SettingsScreen({ page, onChange }: SettingsProps) {
  // Responses may arrive out of order, so each changes only its own fields.
  const latest = useRef(page);
  latest.current = page;
  const change = (fields: Partial<PageDetail>) => onChange({ ...latest.current, ...fields });

  const apply: Apply = async (patch) => {
    const { message, slug } = await patchPage(page.id, patch);
    const { storage_mode, base_version, ...fields } = patch;
    const changed = { ...fields, ...(slug && { slug }), ...(storage_mode && { storageMode: storage_mode }) };
    change(changed);
    say(message);
    return { ...latest.current, ...changed };
  };
  // Switches take effect immediately and change back if the request fails.
  const applyNow = ({ ...flags }: Partial<Record<PageFlag, boolean>>) => {
    const before = Object.fromEntries(Object.keys(flags).map((flag) => [flag, page[flag as PageFlag]]));
    change(flags);
    apply(flags).catch((error: Error) => {
      change(before);
      say(error.message, 'bad');
    });
  };

  return (
    <div class="page-settings">
      <GeneralSection page={page} apply={apply} />
      <Section title="Visibility">
        <div class="page-switches">
          <Switch
            label="Published"
            hint="The page is at its URL. Only you and its team can open a draft."
            checked={page.is_published}
            onChange={(is_published) => applyNow({ is_published })}
          />
          <Switch
            label="Unlisted"
            hint="Asks search engines not to list the page. The URL keeps working."
            checked={page.is_unlisted}
            onChange={(is_unlisted) => applyNow({ is_unlisted })}
          />
        </div>
      </Section>
      <AccessSection page={page} onChange={({ access }) => change({ access })} />
      <DomainsSection page={page} />
      <StorageSection page={page} apply={apply} />
      <FeaturesSection page={page} applyNow={applyNow} />
      <PictureSection page={page} onChange={onChange} />
      <DangerSection page={page} />
    </div>
  );
}
