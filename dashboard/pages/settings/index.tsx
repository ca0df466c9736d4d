import { t } from '../../texts/index.ts';
import { Settings, say } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import { LeaveSection } from '../shared/leave.tsx';
import { AccessSection } from './access.tsx';
import { AppSection } from './app.tsx';
import { type Apply, type Flags, type SettingsProps, useApply } from './apply.ts';
import { DangerSection } from './danger.tsx';
import { DomainsSection } from './domains/index.tsx';
import { FeaturesSection } from './features.tsx';
import { FunctionsSection } from './functions.tsx';
import { GeneralSection } from './general.tsx';
import { PictureSection } from './picture.tsx';
import { ProtectionSection } from './protection.tsx';
import { RepairsSection } from './repairs.tsx';
import { StorageSection } from './storage.tsx';
import { VisibilitySection } from './visibility.tsx';

/** All settings of a page. */
export function SettingsScreen({ page, onChange }: SettingsProps) {
  const applySilently = useApply({ page, onChange });
  const apply: Apply = async (patch, flags) => {
    const saved = await applySilently(patch, flags);
    const path = `/p/${saved.slug}`;
    say(patch.slug ? t('The page is now at {path}.', { path }) : t('The page is updated.'));
    return saved;
  };
  const changeTopic = (topic: PageDetail['topic']) => {
    apply({ topic }).catch((error: Error) => say(error.message, 'bad'));
  };
  // Switches take effect immediately and change back if the request fails.
  const applyNow = (flags: Flags) => {
    apply(flags, flags).catch((error: Error) => say(error.message, 'bad'));
  };

  const isOwner = page.role === 'owner';
  return (
    <Settings>
      <GeneralSection page={page} apply={apply} />
      <VisibilitySection page={page} applyNow={applyNow} onTopic={changeTopic} />
      <AccessSection page={page} apply={applySilently} />
      <ProtectionSection page={page} applyNow={applyNow} />
      {isOwner && !page.branch && <RepairsSection page={page} applyNow={applyNow} />}
      {isOwner && <DomainsSection page={page} />}
      <StorageSection page={page} apply={apply} />
      <FunctionsSection page={page} apply={apply} />
      <AppSection page={page} applyNow={applyNow} apply={apply} />
      <FeaturesSection page={page} applyNow={applyNow} />
      {isOwner && <PictureSection page={page} onChange={onChange} />}
      {isOwner ? <DangerSection page={page} /> : <LeaveSection page={page} />}
    </Settings>
  );
}
