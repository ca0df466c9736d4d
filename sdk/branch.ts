import { BRANCH_PARAM } from '../contract/functions/call-tickets.ts';
import type { Self } from './self.ts';

/**
 * The address of a function, as the page of a branch calls it. Without a host of its own, the page says itself that it is
 * one. Only branches have slugs with two hyphens.
 */
export function fromBranch({ slug, pageId, functions }: Self, url: string): string {
  if (!slug.includes('--') || !url.startsWith(functions) || url.includes(`${BRANCH_PARAM}=`)) return url;
  const [address = '', hash = ''] = url.split('#');
  return `${address}${address.includes('?') ? '&' : '?'}${BRANCH_PARAM}=${pageId}${hash && `#${hash}`}`;
}
