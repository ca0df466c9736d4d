import { z } from 'zod';
import { Done, idParams, NoFields } from '../../../../contract/fields.ts';
import {
  AddDomain,
  Domain,
  DomainList,
  domainParam,
  TlsAllowed,
  TlsQuery,
} from '../../../../contract/pages/domains.ts';
import { notFound } from '../../../lib/errors.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import { findPage } from '../store.ts';
import { addDomain, removeDomain, requireDomain } from './change.ts';
import type { DomainsContext } from './context.ts';
import { listDomains } from './store.ts';
import { createTlsQuestions } from './tls.ts';
import { verifyDomain } from './verify.ts';
import { toDomain } from './wire.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const PATH = '/api/pages/:id/domains';
const domainParams = z.object({
  ...idParams.shape,
  domain: domainParam.meta({ type: 'string', maxLength: 300 }),
});

export function domainRoutes(context: DomainsContext): Route[] {
  return [...readRoutes(context), ...changeRoutes(context), tlsRoute(context)];
}

function readRoutes({ db, directory, hosts }: DomainsContext): Route[] {
  return [
    route({
      method: 'GET',
      path: PATH,
      operationId: 'listDomains',
      access: READ,
      summary: 'The domains of a page, and the DNS records they need',
      params: idParams,
      response: DomainList,
      async handle({ params, actor }) {
        const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
        const rows = await listDomains(db, page.id);
        return { domains: rows.map((row) => toDomain(row, page.domain, hosts.baseUrl)) };
      },
    }),
    route({
      method: 'GET',
      path: `${PATH}/:domain`,
      operationId: 'getDomain',
      access: READ,
      summary: 'Read one domain of a page',
      params: domainParams,
      response: Domain,
      async handle({ params, actor }) {
        const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
        return toDomain(await requireDomain(db, page.id, params.domain), page.domain, hosts.baseUrl);
      },
    }),
  ];
}

function changeRoutes(context: DomainsContext): Route[] {
  return [
    route({
      method: 'POST',
      path: PATH,
      operationId: 'addDomain',
      access: WRITE,
      summary: 'Add a domain to a page. It shows the page once it is verified',
      failures: ['QUOTA_EXCEEDED'],
      params: idParams,
      body: AddDomain,
      status: 201,
      response: Domain,
      handle: ({ params, body, actor }) => addDomain(context, signedIn(actor), params.id, body.domain),
    }),
    route({
      method: 'POST',
      path: `${PATH}/:domain/verify`,
      operationId: 'verifyDomain',
      access: WRITE,
      summary: "Look for a domain's TXT record now. The status says whether it was there",
      failures: ['CONFLICT', 'UNAVAILABLE'],
      params: domainParams,
      body: NoFields,
      bodyOptional: true,
      response: Domain,
      handle: ({ params, actor }) => verifyDomain(context, signedIn(actor), params.id, params.domain),
    }),
    route({
      method: 'DELETE',
      path: `${PATH}/:domain`,
      operationId: 'removeDomain',
      access: WRITE,
      summary: 'Remove a domain from a page',
      params: domainParams,
      response: Done,
      async handle({ params, actor }) {
        await removeDomain(context, signedIn(actor), params.id, params.domain);
        return { success: true, message: `${params.domain} no longer shows this page.` };
      },
    }),
  ];
}

function tlsRoute(context: DomainsContext): Route {
  const isOurs = createTlsQuestions(context);
  return route({
    method: 'GET',
    path: '/api/tls/allow',
    operationId: 'allowCertificate',
    access: { kind: 'public' },
    summary: 'Whether a proxy should get a certificate for a host: 200 for hosts that this service serves',
    failures: ['NOT_FOUND'],
    query: TlsQuery,
    response: TlsAllowed,
    async handle({ query, address, isAddressSure }) {
      if (!(await isOurs(query.domain, { address, isAddressSure }))) throw notFound('This host');
      return { allowed: true };
    },
  });
}
