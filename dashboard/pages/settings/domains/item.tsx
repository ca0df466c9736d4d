import { DOMAIN_GRACE_DAYS } from '../../../../contract/rules/limits.ts';
import { Badge, Button, Copyable, formatAgo, formatMoment, say } from '../../../ui/index.ts';
import { type Domain, verifyDomain } from './api.ts';

const STATUS = {
  pending: { kind: 'warn', label: 'Not verified' },
  verified: { kind: 'good', label: 'Verified' },
  failing: { kind: 'bad', label: 'Record missing' },
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
    if (status === 'verified') say(`${domain.domain} is verified.`);
    else say('The TXT record was not found.', 'bad');
    await onChanged();
  };
  return (
    <li class="domain">
      <header>
        <DomainName {...domain} />
        <Badge kind={kind}>{label}</Badge>
        {domain.is_canonical && <Badge>Main address</Badge>}
        <span class="domain-acts">
          <Button kind="quiet" label={`Verify ${domain.domain}`} onClick={verify}>
            {domain.status === 'pending' ? 'Verify' : 'Check again'}
          </Button>
          <Button kind="bare" label={`Remove ${domain.domain}`} onClick={onRemove}>
            Remove
          </Button>
        </span>
      </header>
      {domain.status === 'failing' && (
        <p class="fault">
          The TXT record is gone. The page stays here for {DOMAIN_GRACE_DAYS} days after that was noticed. Add
          the record again.
        </p>
      )}
      {domain.problem && domain.status === 'pending' && <p class="fault">{domain.problem}</p>}
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
      <summary>DNS records</summary>
      <dl class="domain-records">
        {domain.dns.map(({ type, name, value }) => (
          <div key={type}>
            <dt>{type}</dt>
            <dd>
              <span class="hint">Name</span>
              <Copyable text={name} label={`${type} name`} />
            </dd>
            <dd>
              <span class="hint">Value</span>
              <Copyable text={value} label={`${type} value`} />
            </dd>
          </div>
        ))}
      </dl>
      <p class="hint">
        The TXT record proves that the domain is yours: leave it there. The other one leads visitors here. At
        the top of a domain, use an A or ALIAS record instead of a CNAME.
        {domain.checked_at && (
          <>
            {' '}
            Last checked <time title={formatMoment(domain.checked_at)}>{formatAgo(domain.checked_at)}</time>.
          </>
        )}
      </p>
    </details>
  );
}
