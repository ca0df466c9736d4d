import { phrase, type Text } from '../../../../contract/rules/texts/fill.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { AccessDenial, PageAccess } from './access-policy.ts';

/** Somebody cannot see a page. Says nothing about the page: not even its name. */
export class PageClosed extends AppError {
  readonly page: PageAccess;
  readonly reason: Exclude<AccessDenial, 'not found'>;
  /** True for the owner of the page, who can change its access. */
  readonly isOwner: boolean;

  constructor(page: PageAccess, reason: Exclude<AccessDenial, 'not found'>, isOwner: boolean) {
    const { text, values } = messageFor(page, reason, isOwner);
    super(reason === 'taken down' ? 'TAKEN_DOWN' : 'FORBIDDEN', text, values, {
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
  if (reason === 'not found') return notFound('This page was not found.');
  return new PageClosed(page, reason, actor?.userId === page.owner_id);
}

/** What happened, and what a program or its user can do next. */
function messageFor(
  { id, taken_down_reason }: PageAccess,
  reason: Exclude<AccessDenial, 'not found'>,
  isOwner: boolean,
): Text {
  switch (reason) {
    case 'password needed':
      return phrase(
        'This page has a password. Send it to POST /api/pages/{id}/pass, then repeat the request with the header X-Page-Pass.',
        { id: String(id) },
      );
    case 'login needed':
      return phrase(
        'This page is only for some people. Log in, or send the token of somebody who can see it.',
      );
    case 'not for them':
      return phrase(
        'This page is only for some people, and you are not one of them. Ask its owner for access.',
      );
    case 'taken down':
      return isOwner
        ? phrase('An administrator of this server has taken this page down. The reason: {reason}', {
            reason: String(taken_down_reason),
          })
        : phrase(
            'An administrator of this server has taken this page down. Its owner can see why in the dashboard.',
          );
    case 'owner blocked':
      return phrase('This page is unavailable at the moment. Ask its owner.');
    case 'unclaimed':
      return phrase(
        'Nobody has claimed this page yet, so it has no data, forms or features. Open its claim link and log in to make it yours.',
      );
    case 'expired':
      return phrase('Access to this page has ended. Ask its owner to extend it.');
  }
}
