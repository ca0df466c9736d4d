import type { Route } from '../../platform/http/index.ts';
import type { AccountsContext } from './context.ts';
import { ownAccountRoutes } from './own-account/routes.ts';
import { sessionRoutes } from './session-routes.ts';
import { tokenRoutes } from './tokens/token-routes.ts';

export function accountRoutes(context: AccountsContext): Route[] {
  return [...tokenRoutes(context), ...sessionRoutes(context), ...ownAccountRoutes(context)];
}
