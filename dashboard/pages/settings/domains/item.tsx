import { DOMAIN_GRACE_DAYS } from '../../../../contract/rules/limits.ts';
import { rich, t, translated } from '../../../texts/index.ts';
import { Badge, Button, Copyable, formatAgo, formatMoment, say } from '../../../ui/index.ts';
import { type Domain, verifyDomain } from './api.ts';

const STATUS = {
  pending: { kind: 'warn', label: t('Not verified') },
  verified: { kind: 'good', label: t('Verified') },
  failing: { kind: 'bad', label: t('Record missing') },
} as const;

interface Props {
  pageId: number;
  domain: Domain;
  onChanged: () => Promise<void>;
  onRemove: () => void;
}

/** One domain: its status, and the DNS records it needs. */
export function DomainItem({ pageId, domain, onChanged, onRemove }: Props) {
  const { kind, label } = STATUS[domain.status];
  const verify = async () => {
    const { status } = await verifyDomain(pageId, domain.domain);
    if (status === 'verified') say(t('{domain} is verified.', { domain: domain.domain }));
    else say(t('The TXT record was not found.'), 'bad');
    await onChanged();
  };
  return (
    <li class="domain">
      <header>
        <DomainName {...domain} />
        <Badge kind={kind}>{label}</Badge>
        {domain.is_canonical && <Badge>{t('Main address')}</Badge>}
        <span class="domain-acts">
          <Button kind="quiet" label={t('Verify {domain}', { domain: domain.domain })} onClick={verify}>
            {domain.status === 'pending' ? t('Verify') : t('Check again')}
          </Button>
          <Button kind="bare" label={t('Remove {name}', { name: domain.domain })} onClick={onRemove}>
            {t('Remove')}
          </Button>
        </span>
      </header>
      {domain.status === 'failing' && (
        <p class="fault">
          {t(
            'The TXT record is gone. The page stays here for {days} days after that was noticed. Add the record again.',
            { days: DOMAIN_GRACE_DAYS },
          )}
        </p>
      )}
      {domain.problem && domain.status === 'pending' && (
        <p class="fault">
          {translated({
            text: domain.problem_key?.text ?? domain.problem,
            values: domain.problem_key?.values,
          })}
        </p>
      )}
      <Records domain={domain} />
    </li>
  );
}

/** In ASCII first: two names can look the same. */
function DomainName({ domain, unicode, status }: Domain) {
  return (
    <strong class="domain-name">
      {status === 'pending' ? (
        domain
      ) : (
        <a
          href={`${location.protocol}//${domain}${location.port && `:${location.port}`}/`}
          target="_blank"
          rel="noreferrer"
        >
          {domain}
        </a>
      )}
      {unicode !== domain && <span class="hint"> {unicode}</span>}
    </strong>
  );
}

function Records({ domain }: { domain: Domain }) {
  return (
    <details open={domain.status !== 'verified'}>
      <summary>{t('DNS records')}</summary>
      <dl class="domain-records">
        {domain.dns.map(({ type, name, value }) => (
          <div key={type}>
            <dt>{type}</dt>
            <dd>
              <span class="hint">{t('Name')}</span>
              <Copyable text={name} label={t('{type} name', { type })} />
            </dd>
            <dd>
              <span class="hint">{t('Value')}</span>
              <Copyable text={value} label={t('{type} value', { type })} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        {t(
          'The TXT record proves that the domain is yours: leave it there. The other one leads visitors here. At the top of a domain, use an A or ALIAS record instead of a CNAME.',
        )}{' '}
        {domain.checked_at && <LastChecked at={domain.checked_at} />}
      </p>
    </details>
  );
}

function LastChecked({ at }: { at: string }) {
  const tags = { when: (text: string) => <time title={formatMoment(at)}>{text}</time> };
  return <>{rich('Last checked <when>{ago}</when>.', tags, { ago: formatAgo(at) })}</>;
}
