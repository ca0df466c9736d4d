import type { Route } from '../../platform/http/index.ts';
import type { Service, TrialsContext } from './context.ts';
import { trialRoutes } from './routes.ts';
import { Trials } from './trials.ts';

/** Lets people try a template before they have an account, and publish it. */
interface TrialsSlice {
  routes: Route[];
  /** Sets the API, which is known only when all routes are. */
  connect(service: Service): void;
  /** Removes the trials that have ended. */
  sweep(): Promise<void>;
  stop(): Promise<void>;
}

export function createTrials(context: TrialsContext): TrialsSlice {
  const trials = new Trials(context);
  return {
    routes: trialRoutes(context, trials),
    connect: (service) => trials.connect(service),
    sweep: () => trials.sweep(),
    stop: () => trials.stop(),
  };
}
