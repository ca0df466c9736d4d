import { AppError, notFound } from '../../../lib/errors.ts';
import type { AccessDenial, PageAccess } from './access-policy.ts';

/** Somebody cannot see a page. Says nothing about the page: not even its name. */
export class PageClosed extends AppError {
  readonly page: PageAccess;
  readonly reason: Exclude<AccessDenial, 'not found'>;
  /** True for the owner of the page, who can change its access. */
  readonly isOwner: boolean;

  constructor(page: PageAccess, reason: Exclude<AccessDenial, 'not found'>, isOwner: boolean) {
    super(reason === 'taken down' ? 'TAKEN_DOWN' : 'FORBIDDEN', messageFor(page, reason, isOwner), {
      headers: { 'cache-control': 'private, no-store' },
    });
    this.page = page;
    this.reason = reason;
    this.isOwner = isOwner;
  }
}

/** The error for somebody who cannot see a page. */
export function refusalError(
  page: PageAccess,
  reason: AccessDenial,
  actor: { userId: number } | undefined,
): AppError {
  if (reason === 'not found') return notFound('This page');
  return new PageClosed(page, reason, actor?.userId === page.owner_id);
}

/** What happened, and what a program or its user can do next. */
function messageFor(
  { id, taken_down_reason }: PageAccess,
  reason: Exclude<AccessDenial, 'not found'>,
  isOwner: boolean,
): string {
  switch (reason) {
    case 'password needed':
      return `This page has a password. Send it to POST /api/pages/${id}/pass, then repeat the request with the header X-Page-Pass.`;
    case 'login needed':
      return 'This page is only for some people. Log in, or send the token of somebody who can see it.';
    case 'not for them':
      return 'This page is only for some people, and you are not one of them. Ask its owner for access.';
    case 'taken down':
      return `An administrator of this server has taken this page down. ${
        isOwner ? `The reason: ${taken_down_reason}` : 'Its owner can see why in the dashboard.'
      }`;
    case 'owner blocked':
      return 'This page is unavailable at the moment. Ask its owner.';
    case 'expired':
      return 'Access to this page has ended. Ask its owner to extend it.';
  }
}
