import { AppError, notFound } from '../../../lib/errors.ts';
import type { PageAccess, Refusal } from './policy.ts';

/** Somebody cannot see a page. Says nothing about the page: not even its name. */
export class PageClosed extends AppError {
  readonly page: PageAccess;
  readonly reason: Exclude<Refusal, 'not found'>;

  constructor(page: PageAccess, reason: Exclude<Refusal, 'not found'>) {
    super('FORBIDDEN', messageFor(page, reason), {
      headers: { 'cache-control': 'private, no-store' },
    });
    this.page = page;
    this.reason = reason;
  }
}

/** The error for somebody who cannot see a page. */
export function refusalError(page: PageAccess, reason: Refusal): AppError {
  return reason === 'not found' ? notFound('This page') : new PageClosed(page, reason);
}

/** What happened, and what a program or its user can do next. */
function messageFor({ id }: PageAccess, reason: Exclude<Refusal, 'not found'>): string {
  switch (reason) {
    case 'password needed':
      return `This page has a password. Send it to POST /api/pages/${id}/pass, then repeat the request with the header X-Page-Pass.`;
    case 'login needed':
      return 'This page is only for some people. Log in, or send the token of somebody who can see it.';
    case 'not for them':
      return 'This page is only for some people, and you are not one of them. Ask its owner for access.';
    case 'expired':
      return 'Access to this page has ended. Ask its owner to extend it.';
  }
}
