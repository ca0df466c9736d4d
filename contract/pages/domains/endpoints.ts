import { z } from 'zod';
import { endpoint, endpoints } from '../../endpoint.ts';
import { Done, idParams, NoFields } from '../../fields.ts';
import { AddDomain, Domain, DomainList, domainParam, TlsAllowed, TlsQuery } from './domains.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const PATH = '/api/pages/:id/domains';
const domainParams = z.object({
  ...idParams.shape,
  domain: domainParam.meta({ type: 'string', maxLength: 300 }),
});

export const domainEndpoints = endpoints({
  listDomains: endpoint({
    method: 'GET',
    path: PATH,
    access: READ,
    summary: 'The domains of a page, and the DNS records they need',
    params: idParams,
    response: DomainList,
  }),
  getDomain: endpoint({
    method: 'GET',
    path: `${PATH}/:domain`,
    access: READ,
    summary: 'Read one domain of a page',
    params: domainParams,
    response: Domain,
  }),
  addDomain: endpoint({
    method: 'POST',
    path: PATH,
    access: WRITE,
    summary: 'Add a domain to a page. It shows the page once it is verified',
    failures: ['QUOTA_EXCEEDED'],
    params: idParams,
    body: AddDomain,
    status: 201,
    response: Domain,
  }),
  verifyDomain: endpoint({
    method: 'POST',
    path: `${PATH}/:domain/verify`,
    access: WRITE,
    summary: "Look for a domain's TXT record now. The status says whether it was there",
    failures: ['CONFLICT', 'UNAVAILABLE'],
    params: domainParams,
    body: NoFields,
    bodyOptional: true,
    response: Domain,
  }),
  removeDomain: endpoint({
    method: 'DELETE',
    path: `${PATH}/:domain`,
    access: WRITE,
    summary: 'Remove a domain from a page',
    params: domainParams,
    response: Done,
  }),
  allowCertificate: endpoint({
    method: 'GET',
    path: '/api/tls/allow',
    access: { kind: 'public' },
    summary: 'Whether a proxy should get a certificate for a host: 200 for hosts that this service serves',
    failures: ['NOT_FOUND'],
    query: TlsQuery,
    response: TlsAllowed,
  }),
});
