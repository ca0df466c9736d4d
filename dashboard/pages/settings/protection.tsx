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
      </div>
    </Section>
  );
}
