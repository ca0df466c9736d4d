import { anonymousEndpoints } from '../../../../contract/pages/anonymous/endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { type ClaimContext, Claims } from './claim.ts';
import { createPublish, type PublishContext } from './publish.ts';
import { type ClaimScreensContext, claimScreens } from './screens.ts';

export type AnonymousContext = PublishContext &
  ClaimContext &
  Omit<ClaimScreensContext, 'claims'> & {
    /** Whether the operator lets people publish without an account. */
    config: { anonymousPages: boolean };
  };

/** Publishing without an account, and claiming such a page. Pages that are there can be claimed even if it is off now. */
export function anonymousRoutes(context: AnonymousContext): Route[] {
  const screens = claimScreens({ ...context, claims: new Claims(context) });
  if (!context.config.anonymousPages) return screens;
  const publish = createPublish(context);
  return [
    handle(anonymousEndpoints.publishAnonymously, ({ body, address }) => publish(body.html_content, address)),
    ...screens,
  ];
}
