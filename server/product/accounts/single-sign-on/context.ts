import type { AppError } from '../../../lib/errors.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';
import type { Log } from '../../../platform/http/index.ts';
import type { ScreensContext } from '../screens/screens.ts';
import type { Flows } from './flows.ts';
import type { Provider } from './provider.ts';

/** The dependencies of the routes of single sign-on. */
export interface SingleSignOnContext extends ScreensContext {
  provider: Provider;
  flows: Flows;
  /** The limit of wrong responses per IP address. Each costs a request to the provider. */
  failures: Limit;
  log: Log;
}

/** Logs the cause of a failure, which the person does not see. */
export function logFailure({ log, provider }: SingleSignOnContext, error: AppError): void {
  const causes: string[] = [];
  for (let each = error.cause; each instanceof Error; each = each.cause) causes.push(each.message);
  if (causes.length > 0)
    log.warn({ provider: provider.issuer, cause: causes.join(': ') }, 'single sign-on failed');
}
