import { domainEndpoints } from '../../../../../../contract/pages/domains/endpoints.ts';
import { type Definition, tool } from '../definition.ts';

const PAGE = { id: { type: 'integer', description: 'The id of the page.' } };
const DOMAIN = { domain: { type: 'string', description: 'Such as www.example.com.' } };

/** Tools for the domains of pages. */
export const domainTools: Definition[] = [
  tool(domainEndpoints.listDomains, {
    name: 'list_domains',
    title: 'List domains',
    description: 'Lists the domains of a page: their status, and the DNS records they need.',
    effect: 'read',
    input: PAGE,
  }),
  tool(domainEndpoints.addDomain, {
    name: 'add_domain',
    title: 'Add a domain',
    description:
      "Adds a domain to a page. Returns the DNS records that the domain's owner must add. The page is there once verify_domain finds the TXT record.",
    effect: 'write',
    input: { ...PAGE, ...DOMAIN },
  }),
  tool(domainEndpoints.verifyDomain, {
    name: 'verify_domain',
    title: 'Verify a domain',
    description:
      'Looks for the TXT record of a domain now. If the status is still pending, `problem` says why. DNS records can take hours until they are visible.',
    effect: 'write',
    reachesOut: true,
    input: { ...PAGE, ...DOMAIN },
  }),
  tool(domainEndpoints.removeDomain, {
    name: 'remove_domain',
    title: 'Remove a domain',
    description: 'Removes a domain from a page. Nobody finds the page there any more.',
    effect: 'destructive',
    input: { ...PAGE, ...DOMAIN },
  }),
];
