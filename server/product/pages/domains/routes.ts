import { done } from '../../../../contract/fields.ts';
import { domainEndpoints } from '../../../../contract/pages/domains/endpoints.ts';
import { notFound } from '../../../lib/errors.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { findPage } from '../model/page-store.ts';
import { addDomain, removeDomain, requireDomain } from './change.ts';
import type { DomainsContext } from './context.ts';
import { listDomains } from './store.ts';
import { createTlsQuestions } from './tls.ts';
import { verifyDomain } from './verify.ts';
import { toDomain } from './wire.ts';

export function domainRoutes(context: DomainsContext): Route[] {
  return [...readRoutes(context), ...changeRoutes(context), tlsRoute(context)];
}

function readRoutes({ db, directory, hosts }: DomainsContext): Route[] {
  return [
    handle(domainEndpoints.listDomains, async ({ params, actor }) => {
      const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
      const rows = await listDomains(db, page.id);
      return { domains: rows.map((row) => toDomain(row, page.domain, hosts.baseUrl)) };
    }),
    handle(domainEndpoints.getDomain, async ({ params, actor }) => {
      const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
      return toDomain(await requireDomain(db, page.id, params.domain), page.domain, hosts.baseUrl);
    }),
  ];
}

function changeRoutes(context: DomainsContext): Route[] {
  return [
    handle(domainEndpoints.addDomain, ({ params, body, actor }) =>
      addDomain(context, actor, params.id, body.domain),
    ),
    handle(domainEndpoints.verifyDomain, ({ params, actor }) =>
      verifyDomain(context, actor, params.id, params.domain),
    ),
    handle(domainEndpoints.removeDomain, async ({ params, actor }) => {
      await removeDomain(context, actor, params.id, params.domain);
      return done(`${params.domain} no longer shows this page.`);
    }),
  ];
}

function tlsRoute(context: DomainsContext): Route {
  const isOurs = createTlsQuestions(context);
  return handle(domainEndpoints.allowCertificate, async ({ query, address, isAddressSure }) => {
    if (!(await isOurs(query.domain, { address, isAddressSure }))) throw notFound('This host was not found.');
    return { allowed: true as const };
  });
}
