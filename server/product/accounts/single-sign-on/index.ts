import type { ServiceKey } from '../../../lib/secrets.ts';
import type { Limits } from '../../../platform/coordination/limits/index.ts';
import type { CookieJar, Log, Route } from '../../../platform/http/index.ts';
import type { ScreensContext } from '../screens/screens.ts';
import { connectionRoutes } from './account-routes.ts';
import { finishRoutes } from './finish-routes.ts';
import { Flows } from './flows.ts';
import { loginRoutes } from './login-routes.ts';
import { Provider, type ProviderSettings } from './provider.ts';

export type { ProviderSettings };

const FAILURE_SECONDS = 15 * 60;

interface SingleSignOnOptions {
  /** The provider; undefined if the operator has configured none. */
  settings: ProviderSettings | undefined;
  key: ServiceKey;
  cookies: CookieJar;
  limits: Limits;
  log: Log;
  /** Wrong responses of the provider per IP address in 15 minutes. */
  maxFailures: number;
}

/** Single sign-on: people log in at an OpenID Connect provider that the operator has named. */
export function singleSignOnRoutes(context: ScreensContext, options: SingleSignOnOptions): Route[] {
  const { settings, key, cookies, limits, log } = options;
  if (!settings) return connectionRoutes(context, undefined);
  const { now, baseUrl } = context;
  const failures = limits.limit(
    'sso-failures',
    { points: options.maxFailures, seconds: FAILURE_SECONDS },
    'Too many failed attempts from your address. Try again {wait}.',
  );
  const provider = new Provider({ settings, redirectUri: `${baseUrl}/login/sso/callback`, now });
  const flows = new Flows({ key, cookies, limits, now });
  const whole = { ...context, provider, flows, failures, log };
  return [...loginRoutes(whole), ...finishRoutes(whole), ...connectionRoutes(context, whole)];
}

/** Asks the provider for what `quire doctor` shows. */
export function checkProvider(settings: ProviderSettings): Promise<string> {
  return new Provider({ settings, redirectUri: settings.issuer, now: Date.now }).check();
}
