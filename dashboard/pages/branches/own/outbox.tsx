import { useState } from 'preact/hooks';
import { t } from '../../../texts/index.ts';
import {
  Button,
  Empty,
  formatMoment,
  Icon,
  Section,
  Show,
  Skeleton,
  useLoad,
  useRefresh,
} from '../../../ui/index.ts';
import { type Branch, type Mail, readOutbox } from '../api.ts';

const AT_ONCE = 20;
const REFRESH_MS = 10_000;

/** The mail that functions of the branch would have sent. */
export function OutboxSection({ branch }: { branch: Branch }) {
  const [shown, setShown] = useState(AT_ONCE);
  const loaded = useLoad((signal) => readOutbox(branch.of, branch.name, signal), [branch.of, branch.name]);
  useRefresh(loaded.refresh, REFRESH_MS);
  return (
    <Section
      title={t('Outbox')}
      hint={t('Mail that functions of this branch would have sent. None of it has left the server.')}
    >
      <Show loaded={loaded} skeleton={<Skeleton kind="rows" lines={3} />}>
        {(mails) =>
          mails.length === 0 ? (
            <Empty icon="mail" title={t('No mail yet')}>
              {t(
                'When a function of this branch sends mail, it appears here instead of with its recipients.',
              )}
            </Empty>
          ) : (
            <>
              <ul class="branch-mails">
                {mails.slice(0, shown).map((mail, index) => (
                  <Line key={`${mail.at} ${mails.length - index}`} mail={mail} />
                ))}
              </ul>
              {mails.length > shown && (
                <Button kind="quiet" onClick={() => setShown(shown + AT_ONCE)}>
                  {t('Show more')}
                </Button>
              )}
            </>
          )
        }
      </Show>
    </Section>
  );
}

function Line({ mail: { at, to, subject, text, html } }: { mail: Mail }) {
  return (
    <li>
      <details>
        <summary>
          <Icon name="chevron-down" size={16} />
          <strong dir="auto">{subject || t('Without a subject')}</strong>
          <span class="hint">
            {t('to {addresses}', { addresses: to.join(', ') })} · {formatMoment(at)}
          </span>
        </summary>
        <pre dir="auto">{text}</pre>
        {html !== null && (
          <details>
            <summary class="hint">{t('The same as HTML')}</summary>
            <pre>{html}</pre>
          </details>
        )}
      </details>
    </li>
  );
}
