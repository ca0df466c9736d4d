import { REPAIRS_PER_DAY } from '../../../contract/repairs/kinds.ts';
import { t } from '../../texts/index.ts';
import { Section, Switch } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';
import type { Flags } from './apply.ts';

/** Whether the builder may repair errors of the page, for which what visitors did is kept. */
export function RepairsSection({ page, applyNow }: { page: PageDetail; applyNow: (flags: Flags) => void }) {
  return (
    <Section id="repairs" title={t('Repairs')}>
      <div class="page-switches">
        <Switch
          label={t('Let the builder repair errors')}
          hint={t(
            'With each error, the last clicks and entries before it are kept for 30 days; texts and long numbers that you did not write are replaced. A repair happens on a copy, costs your credits, and nothing reaches the page before you bring it there. At most {count} a day.',
            { count: REPAIRS_PER_DAY },
          )}
          checked={page.repair}
          onChange={(repair) => applyNow({ repair })}
        />
      </div>
    </Section>
  );
}
