import { useRef } from 'preact/hooks';
import { Section, Switch, say } from '../../ui/index.ts';
import { type PageDetail, patchPage } from '../api.ts';
import type { Apply, SettingsProps } from './apply.ts';
import { DangerSection } from './danger.tsx';
import { type FeatureFlag, FeaturesSection } from './features.tsx';
import { GeneralSection } from './general.tsx';
import { PictureSection } from './picture.tsx';
import { StorageSection } from './storage.tsx';

/** What is on or off. */
type PageFlag = 'is_published' | 'is_unlisted' | FeatureFlag;

/** Everything about a page but its text. */
export function SettingsScreen({ page, onChange }: SettingsProps) {
  // Answers may come in another order than they were asked for; each changes only its own fields.
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
  // Switches act at once: there is nothing to fill in that a button could wait for.
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
      <Section title="Who can see it">
        <div class="page-switches">
          <Switch
            label="Published"
            hint="Everybody who has the address can open it. A draft answers only to you and its team."
            checked={page.is_published}
            onChange={(is_published) => applyNow({ is_published })}
          />
          <Switch
            label="Unlisted"
            hint="Asks search engines to leave it out; the address works as before."
            checked={page.is_unlisted}
            onChange={(is_unlisted) => applyNow({ is_unlisted })}
          />
        </div>
      </Section>
      <StorageSection page={page} apply={apply} />
      <FeaturesSection page={page} applyNow={applyNow} />
      <PictureSection page={page} onChange={onChange} />
      <DangerSection page={page} />
    </div>
  );
}
