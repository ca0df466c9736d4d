import { Section, Switch } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';

const FEATURES = [
  [
    'page_api_ai_enabled',
    'AI chat',
    'Visitors pay with their own credits, by the length of the answer, after they agreed.',
  ],
  [
    'page_api_image_gen_enabled',
    'Image generation',
    'A picture costs a visitor 4 credits, after they agreed.',
  ],
  [
    'page_api_image_search_enabled',
    'Image search',
    'Free for visitors who are logged in, within a rate limit.',
  ],
  [
    'page_api_image_recognition_enabled',
    'Image recognition',
    'A question costs a visitor 1 credit, after they agreed.',
  ],
  [
    'page_api_spawn_enabled',
    'Page spawn',
    'Free. Visitors who agreed get new pages of their own, which count towards their room.',
  ],
] as const;

export type FeatureFlag = (typeof FEATURES)[number][0];

interface FeaturesProps {
  page: PageDetail;
  applyNow: (flags: Partial<Record<FeatureFlag, boolean>>) => void;
}

/** What the page's script may do for visitors who are logged in. */
export function FeaturesSection({ page, applyNow }: FeaturesProps) {
  return (
    <Section
      title="Features for visitors"
      hint="They need a visitor who is logged in, and never cost you anything."
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
