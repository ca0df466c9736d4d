/** Checks: of what may hang, for many at once and for a bounded time, and of what is known already. */
export { type Check, holds, occasionalCheck, shareCheck } from './check.ts';
/** Whether this node should be given traffic, and the addresses at which balancers ask. */
export { createReadiness, type Readiness } from './readiness.ts';

export { createHealth } from './service-health.ts';
