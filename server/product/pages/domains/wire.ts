import { isIP } from 'node:net';
import { translatable } from '../../../../contract/errors.ts';
import type { DnsRecord, Domain, DomainProblem } from '../../../../contract/pages/domains/domains.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import type { DomainRow } from '../../../platform/storage/index.ts';
import { toUnicode } from './names.ts';

/** Rows as the wire shapes of `contract/pages/domains/domains.ts`. */

/** The name of the TXT record. It is below the domain, so that the domain can also have a CNAME record. */
export const proofName = (domain: string) => `_quire.${domain}`;
export const proofValue = (token: string) => `quire-verification=${token}`;

export function toDomain(row: DomainRow, canonical: string | null, baseUrl: string): Domain {
  return {
    domain: row.domain,
    unicode: toUnicode(row.domain),
    status: row.verified_at === null ? 'pending' : row.failing_since === null ? 'verified' : 'failing',
    is_canonical: row.domain === canonical,
    dns: [
      { type: 'TXT', name: proofName(row.domain), value: proofValue(row.token) },
      pointer(row.domain, new URL(baseUrl).hostname),
    ],
    ...toProblem(row),
    checked_at: row.checked_at === null ? null : toTimestamp(row.checked_at),
    created_at: toTimestamp(row.created_at),
  };
}

/** The DNS record that leads the domain to this service. */
function pointer(name: string, host: string): DnsRecord {
  const address = host.replace(/^\[|\]$/g, '');
  const version = isIP(address);
  if (version === 0) return { type: 'CNAME', name, value: host };
  return { type: version === 4 ? 'A' : 'AAAA', name, value: address };
}

function toProblem({ problem, domain }: DomainRow): Pick<Domain, 'problem' | 'problem_key'> {
  if (problem === null) return { problem: null };
  const { message, ...key } = describeProblem(problem, domain);
  return { problem: message, problem_key: key };
}

function describeProblem(problem: DomainProblem, domain: string) {
  const name = proofName(domain);
  switch (problem) {
    case 'no_record':
      return translatable(
        'There is no TXT record at {name} yet. Add it, wait until your DNS provider has published it, and verify again.',
        { name },
      );
    case 'other_record':
      return translatable(
        'The TXT record at {name} has another value. Copy the value that is shown here, and verify again.',
        { name },
      );
    case 'no_answer':
      return translatable('The DNS servers of {domain} did not answer. Try again later.', { domain });
  }
}
