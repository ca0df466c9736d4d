import type { ComponentChildren } from 'preact';
import { ATTACK_SECONDS } from '../../../contract/attack/kinds.ts';
import { t } from '../../texts/index.ts';
import { Icon, type IconName } from '../../ui/index.ts';
import type { PageDetail } from '../api.ts';

/** What an attack tries on this page, as whom, and what it leaves alone. */
export function Plan({ page }: { page: PageDetail }) {
  const hasRecords = page.storageMode !== 'page';
  const hasFunctions = page.functions.length > 0;
  return (
    <div class="page-attack-plan">
      <Part icon="people" title={t('Who tries')}>
        <li>{t('Somebody who is not logged in')}</li>
        <li>{t('Two strangers with accounts')}</li>
        {page.storageMode === 'team_app' && <li>{t('A viewer of the team')}</li>}
      </Part>
      <Part icon="search" title={t('What they try')}>
        <li>{t('To find keys, passwords and private files in what everyone gets')}</li>
        {hasRecords && <li>{t('To read, change and delete what somebody else has stored')}</li>}
        {hasRecords && <li>{t('To store a text that runs as a program for others')}</li>}
        {hasFunctions && (
          <li>{t('To call its functions in the name of others, and with SQL in each text')}</li>
        )}
        {hasFunctions && <li>{t('To get messages of forms and hidden records from its functions')}</li>}
      </Part>
      <Part icon="shield" title={t('What is left alone')}>
        <li>{t('Your page, its data and its visitors: all happens on a copy with invented data')}</li>
        {hasFunctions && (
          <li>
            {t(
              'Secrets and mail: copies of functions have none, and their databases are empty. They can still fetch public addresses.',
            )}
          </li>
        )}
        <li>
          {t('The copy is removed afterwards. It takes a few seconds, at most {seconds}.', {
            seconds: ATTACK_SECONDS,
          })}
        </li>
      </Part>
    </div>
  );
}

interface PartProps {
  icon: IconName;
  title: string;
  children: ComponentChildren;
}

function Part({ icon, title, children }: PartProps) {
  return (
    <section>
      <h3>
        <Icon name={icon} size={18} /> {title}
      </h3>
      <ul>{children}</ul>
    </section>
  );
}
