import { Section, Switch, say } from '../../ui/index.ts';
import { type PageDetail, type PagePatch, patchPage } from '../api.ts';
import { DangerSection } from './danger.tsx';
import { FeaturesSection } from './features.tsx';
import { GeneralSection } from './general.tsx';
import { PictureSection } from './picture.tsx';
import { StorageSection } from './storage.tsx';

/** Changes the page and shows what became of it. */
export type Apply = (patch: PagePatch) => Promise<PageDetail>;

export interface SettingsProps {
  page: PageDetail;
  onChange: (page: PageDetail) => void;
}

/** Everything about a page but its text. */
export function SettingsScreen({ page, onChange }: SettingsProps) {
  const apply: Apply = async (patch) => {
    const answer = await patchPage(page.id, patch);
    const { storage_mode, base_version, ...fields } = patch;
    const changed = {
      ...page,
      ...fields,
      ...(answer.slug && { slug: answer.slug }),
      storageMode: storage_mode ?? page.storageMode,
    };
    onChange(changed);
    say(answer.message);
    return changed;
  };
  // Switches act at once: there is nothing to fill in that a button could wait for.
  const applyNow = (patch: PagePatch) => void apply(patch).catch((error: Error) => say(error.message, 'bad'));

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
