import type { Domain } from '../../../../contract/pages/domains/domains.ts';
import { MAX_DOMAINS } from '../../../../contract/rules/limits.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { randomSecret } from '../../../lib/secrets.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Db, DomainRow, PageRow, Tx } from '../../../platform/storage/index.ts';
import { lockPage } from '../model/page-store.ts';
import type { DomainsContext } from './context.ts';
import { assertUsable } from './names.ts';
import { deleteDomain, findDomain, insertDomain, listDomains, setCanonical } from './store.ts';
import { toDomain } from './wire.ts';

/** Adds a domain that is not verified yet. Adding it again returns the existing row. */
export async function addDomain(
  context: DomainsContext,
  actor: Actor,
  pageId: number,
  domain: string,
): Promise<Domain> {
  const { db, hosts, now } = context;
  return db.transaction().execute(async (tx) => {
    const page = await lockOwn(context, tx, actor, pageId);
    if (page.branch_of !== null)
      throw new AppError('CONFLICT', 'A branch has no domains. Add this one to its page.');
    assertUsable(domain, hosts);
    const domains = await listDomains(tx, pageId);
    const known = domains.find((row) => row.domain === domain);
    if (known) return toDomain(known, page.domain, hosts.baseUrl);
    if (domains.length >= MAX_DOMAINS)
      throw new AppError(
        'QUOTA_EXCEEDED',
        'A page can have {count} domains. Remove one of them before you add another.',
        { count: MAX_DOMAINS },
      );
    const row = { page_id: pageId, domain, token: randomSecret(), created_at: now() };
    return toDomain(await insertDomain(tx, row), page.domain, hosts.baseUrl);
  });
}

/** Removes a domain from a page. Another page can then have it. */
export async function removeDomain(
  context: DomainsContext,
  actor: Actor,
  pageId: number,
  domain: string,
): Promise<void> {
  await context.db.transaction().execute(async (tx) => {
    await lockOwn(context, tx, actor, pageId);
    const row = await requireDomain(tx, pageId, domain);
    await deleteDomain(tx, row.id);
    if (row.verified_at !== null) await setCanonical(tx, pageId);
  });
  context.table.changed(domain);
  context.pageChanged(pageId);
}

/** Locks a page for its owner, who alone can change its domains. */
async function lockOwn(context: DomainsContext, tx: Tx, actor: Actor, pageId: number): Promise<PageRow> {
  return context.directory.require(tx, await lockPage(tx, pageId), actor, 'own');
}

export async function requireDomain(db: Db, pageId: number, domain: string): Promise<DomainRow> {
  const row = await findDomain(db, pageId, domain);
  if (!row) throw notFound('This domain of the page was not found.');
  return row;
}
