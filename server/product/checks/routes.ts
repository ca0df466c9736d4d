import { checkEndpoints } from '../../../contract/checks/endpoints.ts';
import { handle, type Route } from '../../platform/http/index.ts';
import { checkPage } from './check.ts';
import type { ChecksContext } from './context.ts';
import { sendScreenshot } from './screenshots.ts';

export function checkRoutes(context: ChecksContext): Route[] {
  return [
    handle(checkEndpoints.checkPage, ({ params, body, actor, request }) =>
      checkPage(context, actor, params.id, body, request.signal),
    ),
    handle(checkEndpoints.getScreenshot, ({ params }) => sendScreenshot(context, params.file)),
  ];
}
