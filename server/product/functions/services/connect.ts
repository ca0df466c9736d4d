import { AppError } from '../../../lib/errors.ts';
import type { Handler } from '../../../platform/http/index.ts';
import type { FunctionAi, ServicesContext } from './context.ts';
import { startServices } from './services.ts';

/** Starts the services in `env`. They call the API and models, which are known only when all routes are. */
export function connectServices(options: Omit<ServicesContext, 'api' | 'ai'>) {
  let known: { call: Handler; ai: FunctionAi } | undefined;
  const others = () => {
    if (!known) throw new AppError('UNAVAILABLE', 'The server is starting. Try again in a moment.');
    return known;
  };
  startServices({ ...options, api: () => others().call, ai: () => others().ai });
  return {
    connect(given: { call: Handler; ai: FunctionAi }): void {
      known = given;
    },
  };
}
