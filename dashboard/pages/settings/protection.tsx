import { ATTACK_SECONDS } from '../../../contract/attack/kinds.ts';
import { t } from '../../texts/index.ts';
import { Section, Switch } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { Flags } from './apply.ts';

/** Whether agents and programs can change the page itself, or only branches of it. */
export function ProtectionSection({
  page,
  applyNow,
}: {
  page: PageDetail;
  applyNow: (flags: Flags) => void;
}) {
  return (
    <Section id="protection" title={t('Protection')}>
      <div class="page-switches">
        <Switch
          label={t('Protect this page from agents')}
          hint={t(
            'Tokens and connected apps work on drafts and branches. You bring what they made to the page. Only a person can turn this off.',
          )}
          checked={page.protected}
          onChange={(isProtected) => applyNow({ protected: isProtected })}
        />
        {page.role === 'owner' && !page.branch && (
          <Switch
            label={t('Attack drafts and branches before they reach this page')}
            hint={t(
              'Publishing a draft and merging a branch then take up to {seconds} seconds longer, and are refused if an attack on a copy finds something serious that you have not called meant so.',
              { seconds: 2 * ATTACK_SECONDS },
            )}
            checked={page.attack_first}
            onChange={(attackFirst) => applyNow({ attack_first: attackFirst })}
          />
        )}
      </div>
    </Section>
  );
}
