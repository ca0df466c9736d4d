import { domainEndpoints } from '../../../../../../contract/pages/domains/endpoints.ts';
import { type Definition, tool } from '../definition.ts';

const PAGE = { id: { type: 'integer' } };
const DOMAIN = { domain: { type: 'string', description: 'Such as www.example.com' } };

/** Tools for the domains of pages. */
export const domainTools: Definition[] = [
  tool(domainEndpoints.listDomains, {
    group: 'sites',
    name: 'list_domains',
    title: 'List domains',
    description: 'Lists the domains of a page with their status and DNS records.',
    effect: 'read',
    input: PAGE,
  }),
  tool(domainEndpoints.addDomain, {
    group: 'sites',
    name: 'add_domain',
    title: 'Add a domain',
    description:
      'Adds a domain to a page and returns the DNS records that its owner must add. With verify=true, looks for its TXT record.',
    effect: 'write',
    reachesOut: true,
    also: [{ given: 'verify', is: true, endpoint: domainEndpoints.verifyDomain }],
    adds: ['verify'],
    input: { ...PAGE, ...DOMAIN, verify: { type: 'boolean' } },
  }),
  tool(domainEndpoints.removeDomain, {
    group: 'sites',
    name: 'remove_domain',
    title: 'Remove a domain',
    description: 'Removes a domain from a page.',
    effect: 'destructive',
    input: { ...PAGE, ...DOMAIN },
  }),
];
