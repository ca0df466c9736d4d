import { t } from '../../texts/index.ts';
import { Section, Switch } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';

const FEATURES = [
  [
    'page_api_ai_enabled',
    t('AI chat'),
    t('Visitors pay with their own credits, by the length of the response. They must agree first.'),
  ],
  [
    'page_api_image_gen_enabled',
    t('Image generation'),
    t('An image costs the visitor 4 credits. They must agree first.'),
  ],
  [
    'page_api_image_search_enabled',
    t('Image search'),
    t('Free for visitors who are logged in, with a rate limit.'),
  ],
  [
    'page_api_image_recognition_enabled',
    t('Image recognition'),
    t('A question costs the visitor 1 credit. They must agree first.'),
  ],
  [
    'page_api_spawn_enabled',
    t('Page spawn'),
    t('Free. Creates pages in the visitor’s account, which use their storage quota. They must agree first.'),
  ],
] as const;

export type FeatureFlag = (typeof FEATURES)[number][0];

/** Whether the page offers its visitors any of them. */
export const offersFeatures = (page: PageDetail) => FEATURES.some(([flag]) => page[flag]);

interface FeaturesProps {
  page: PageDetail;
  applyNow: (flags: Partial<Record<FeatureFlag, boolean>>) => void;
}

/** What scripts of the page can do for visitors who are logged in. */
export function FeaturesSection({ page, applyNow }: FeaturesProps) {
  return (
    <Section
      id="features"
      title={t('Features for visitors')}
      hint={t('Only for visitors who are logged in. They never cost you anything.')}
    >
      <div class="page-switches">
        {FEATURES.map(([flag, label, hint]) => (
          <Switch
            key={flag}
            label={label}
            hint={hint}
            checked={page[flag]}
            onChange={(isOn) => applyNow({ [flag]: isOn })}
          />
        ))}
      </div>
    </Section>
  );
}
