import { z } from 'zod';
import { MessageKey } from '../../error-body.ts';
import { text, timestamp } from '../../fields.ts';
import { DOMAIN_GRACE_DAYS } from '../../rules/limits.ts';
import { MAX_GIVEN_DOMAIN, readDomain, TOO_LONG } from './domain-names.ts';

/** The wire shapes of pages' domains, and their limits. */

/** The rate limit of attempts to verify domains, per owner. */
export const VERIFICATIONS = { points: 30, seconds: 600 };

/** A domain in any spelling. It becomes its ASCII form, in lower case. */
const domain = text()
  .max(MAX_GIVEN_DOMAIN, TOO_LONG)
  .transform((given, context) => {
    const read = readDomain(given);
    if ('domain' in read) return read.domain;
    context.addIssue(read.fault);
    return z.NEVER;
  })
  .meta({ type: 'string', maxLength: MAX_GIVEN_DOMAIN, examples: ['www.example.com'] });

export const AddDomain = z.strictObject({ domain });

/** Problems that the last lookup of the TXT record can find. */
const DOMAIN_PROBLEMS = ['no_record', 'other_record', 'no_answer'] as const;
export type DomainProblem = (typeof DOMAIN_PROBLEMS)[number];

/** A record to add where the domain's DNS is managed. */
export const DnsRecord = z.object({
  type: z.enum(['TXT', 'CNAME', 'A', 'AAAA']),
  name: z.string(),
  value: z.string(),
});
export type DnsRecord = z.infer<typeof DnsRecord>;

export const Domain = z.object({
  domain: z.string().meta({ description: 'The domain in ASCII: an international name starts with xn--' }),
  unicode: z.string().meta({ description: 'The domain as people read it' }),
  status: z.enum(['pending', 'verified', 'failing']).meta({
    description: `\`pending\`: not proven yet. \`verified\`: the page is there. \`failing\`: the page is there, but the record is missing; after ${DOMAIN_GRACE_DAYS} days the domain is pending again`,
  }),
  is_canonical: z.boolean().meta({ description: "Whether this is the page's main address" }),
  dns: z.array(DnsRecord),
  problem: z
    .string()
    .nullable()
    .meta({ description: 'What the last check found, and what to do. Null if it found the record' }),
  problem_key: MessageKey.optional().meta({ description: 'With problem: what is needed to translate it.' }),
  checked_at: timestamp.nullable(),
  created_at: timestamp,
});
export type Domain = z.infer<typeof Domain>;

export const DomainList = z.object({ domains: z.array(Domain) });
export type DomainList = z.infer<typeof DomainList>;

export const TlsQuery = z.object({ domain: z.string().max(MAX_GIVEN_DOMAIN) });
export const TlsAllowed = z.object({ allowed: z.literal(true) });

/** The path of a domain: any spelling of it. */
export const domainParam = z.string().transform((given) => {
  const read = readDomain(given);
  return 'domain' in read ? read.domain : given;
});
