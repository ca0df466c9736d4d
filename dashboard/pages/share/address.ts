import { useLoad } from '../../ui/index.ts';
import { type PageDetail, toPageUrl } from '../api.ts';
import { listDomains } from '../settings/domains/api.ts';

/** The address that the owner gives to others: the main domain of the page, or its path at this server. */
export function useAddress(page: PageDetail): string {
  const loaded = useLoad((signal) => findDomain(page, signal), [page.id]);
  const { protocol, port } = location;
  return loaded.value ? `${protocol}//${loaded.value}${port && `:${port}`}` : toPageUrl(page);
}

/** Only owners see the domains. Everyone else of the team shares the path. */
async function findDomain({ id, role }: PageDetail, signal: AbortSignal): Promise<string | undefined> {
  if (role !== 'owner') return undefined;
  const domains = await listDomains(id, signal);
  return domains.find(({ is_canonical }) => is_canonical)?.domain;
}
