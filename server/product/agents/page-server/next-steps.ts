import type { Failure } from '../mcp/tools/results/result.ts';
import type { PageTool } from './tools/tool.ts';

/** The next step of a visitor's agent after an error. */
export function nextStep({ name }: Pick<PageTool, 'name'>, failure: Failure): string | undefined {
  const { status, consentUrl, retryAfter } = failure;
  if (typeof consentUrl === 'string')
    return `Your user has to allow this page to use their credits: ask them to open ${consentUrl}, then call ${name} again.`;
  switch (status) {
    case 400:
    case 422:
      return `Correct the arguments and call ${name} again.`;
    case 401:
      return 'Ask your user to connect to this page with their account.';
    case 402:
      return 'Tell your user that they have too few credits.';
    case 403:
      return 'Tell your user that their account is not allowed to do this on this page.';
    case 404:
      return 'See what exists with the tools that list.';
    case 429:
    case 503:
      return `Wait ${Number(retryAfter ?? 5)} seconds, then call ${name} again.`;
    default:
      return undefined;
  }
}
