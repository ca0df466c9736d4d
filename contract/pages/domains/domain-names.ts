import { rule } from '../../rules/texts/rule.ts';
/** What a domain can look like. */

/** Characters of a domain as clients send it, before it is converted to ASCII. */
export const MAX_GIVEN_DOMAIN = 300;
/** Characters of a domain. DNS allows 253, including the label of the TXT record. */
const MAX_DOMAIN = 253 - '_quire.'.length;
const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/** The ASCII form of a domain, in lower case, or why it cannot be one. */
export function readDomain(given: string): { domain: string } | { fault: string } {
  // The length is checked first, because converting many marks on one letter to ASCII takes quadratic time.
  if (given.length > MAX_GIVEN_DOMAIN) return { fault: TOO_LONG };
  const name = given.trim();
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(name) || /[/?#@\\]/.test(name))
    return { fault: 'must be a domain alone, such as www.example.com, without https:// and a path' };
  if (name.startsWith('[') || /:.*:/.test(name)) return { fault: IP };
  if (name.includes(':')) return { fault: 'must not have a port' };
  if (name.includes('*')) return { fault: 'must not be a wildcard. Add each domain by itself' };
  if (/[.\u3002\uff0e\uff61]$/.test(name)) return { fault: 'must not end with a dot' };
  // The URL parser converts international names to ASCII, and rejects those that are not valid.
  const domain = /[\s%_]/.test(name) ? undefined : URL.parse(`http://${name}`)?.hostname;
  if (!domain) return { fault: NOT_A_DOMAIN };
  if (/^[\d.]+$/.test(domain) || domain.startsWith('[')) return { fault: IP };
  return findFault(domain) ?? { domain };
}

export const TOO_LONG = rule('must have at most {max} characters', { max: String(MAX_GIVEN_DOMAIN) });
const NOT_A_DOMAIN = 'is not a valid domain. A domain looks like www.example.com';
const IP = 'must be a domain, not an IP address';

function findFault(domain: string): { fault: string } | undefined {
  const labels = domain.split('.');
  if (domain.length > MAX_DOMAIN)
    return { fault: rule('must have at most {max} characters in ASCII', { max: String(MAX_DOMAIN) }) };
  const long = labels.find((label) => label.length > 63);
  if (long) return { fault: 'must have at most 63 characters between two dots' };
  if (!labels.every((label) => LABEL.test(label))) return { fault: NOT_A_DOMAIN };
  if (labels.at(-1) === 'localhost') return { fault: 'must not be localhost' };
  if (labels.length < 2) return { fault: 'must have at least two parts, such as example.com' };
  return undefined;
}
