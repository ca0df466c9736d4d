import { GALLERY_TOPICS, type GalleryTopic } from '../../../contract/rules/pages/gallery-topics.ts';
import { t } from '../../texts/index.ts';
import { Section, Select, Switch } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';

export type VisibilityFlag = 'is_published' | 'is_unlisted' | 'is_listed';
type Flags = Partial<Record<VisibilityFlag, boolean>>;

interface SwitchProps {
  page: PageDetail;
  applyNow: (flags: Flags) => void;
}

interface TopicProps {
  page: PageDetail;
  onTopic: (topic: GalleryTopic) => void;
}

/** Where people find the page. */
export function VisibilitySection({ page, applyNow, onTopic }: SwitchProps & TopicProps) {
  return (
    <Section id="visibility" title={t('Visibility')}>
      <div class="page-switches">
        <Switch
          label={t('Published')}
          hint={t('Live at its address. Drafts stay with you and your team.')}
          checked={page.is_published}
          onChange={(is_published) => applyNow({ is_published })}
        />
        <Switch
          label={t('Unlisted')}
          hint={t('Asks search engines not to list the page. The URL keeps working.')}
          checked={page.is_unlisted}
          onChange={(is_unlisted) => applyNow({ is_unlisted })}
        />
        <GallerySwitch page={page} applyNow={applyNow} />
        {page.is_listed && <TopicChoice page={page} onTopic={onTopic} />}
      </div>
    </Section>
  );
}

function GallerySwitch({ page, applyNow }: SwitchProps) {
  const obstacle = findObstacle(page);
  const meaning = t(
    'Everyone who comes to this server finds the page, with a picture of it and your username, and can fork it.',
  );
  return (
    <Switch
      label={t('Show in the gallery of this server')}
      hint={obstacle ?? meaning}
      checked={page.is_listed}
      disabled={obstacle !== undefined && !page.is_listed}
      onChange={(is_listed) => applyNow({ is_listed })}
    />
  );
}

const topicNames = (): Record<GalleryTopic, string> => ({
  personal: t('Personal'),
  events: t('Events'),
  community: t('Community'),
  learning: t('Learning'),
  work: t('Work'),
  tools: t('Tools'),
  games: t('Games'),
  art: t('Art'),
  other: t('Other'),
});

/** Where people find the page in the gallery. */
function TopicChoice({ page, onTopic }: TopicProps) {
  const names = topicNames();
  return (
    <Select
      label={t('Topic in the gallery')}
      value={page.topic}
      options={GALLERY_TOPICS.map((topic) => [topic, names[topic]])}
      onChange={onTopic}
    />
  );
}

/** Why the page cannot be in the gallery. */
function findObstacle(page: PageDetail): string | undefined {
  const { removed_from_gallery: removed, access } = page;
  if (removed)
    return t('An administrator removed the page from the gallery: {reason}', { reason: removed.reason });
  if (!page.is_published) return t('Publish the page first.');
  if (page.is_unlisted) return t('Turn off Unlisted first.');
  if (access.mode !== 'public') return t('Let anyone see the page first.');
  if (access.expires_at !== undefined)
    return t('The gallery shows only pages that stay public. Remove the end first.');
  return undefined;
}
