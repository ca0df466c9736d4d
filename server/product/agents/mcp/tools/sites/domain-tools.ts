import type { Definition } from '../definition.ts';

const PAGE = { id: { type: 'integer', description: 'The id of the page.' } };
const DOMAIN = { domain: { type: 'string', description: 'Such as www.example.com.' } };

/** Tools for the domains of pages. */
export const domainTools: Definition[] = [
  {
    name: 'list_domains',
    title: 'List domains',
    description: 'Lists the domains of a page: their status, and the DNS records they need.',
    method: 'GET',
    path: '/api/pages/:id/domains',
    effect: 'read',
    input: PAGE,
  },
  {
    name: 'add_domain',
    title: 'Add a domain',
    description:
      "Adds a domain to a page. Returns the DNS records that the domain's owner must add. The page is there once verify_domain finds the TXT record.",
    method: 'POST',
    path: '/api/pages/:id/domains',
    effect: 'write',
    input: { ...PAGE, ...DOMAIN },
  },
  {
    name: 'verify_domain',
    title: 'Verify a domain',
    description:
      'Looks for the TXT record of a domain now. If the status is still pending, `problem` says why. DNS records can take hours until they are visible.',
    method: 'POST',
    path: '/api/pages/:id/domains/:domain/verify',
    effect: 'write',
    reachesOut: true,
    input: { ...PAGE, ...DOMAIN },
  },
  {
    name: 'remove_domain',
    title: 'Remove a domain',
    description: 'Removes a domain from a page. Nobody finds the page there any more.',
    method: 'DELETE',
    path: '/api/pages/:id/domains/:domain',
    effect: 'destructive',
    input: { ...PAGE, ...DOMAIN },
  },
];
