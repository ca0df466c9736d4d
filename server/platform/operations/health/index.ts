/** Health checks: shared ones with a time limit, occasional ones, and ones for a known state. */
export { type Check, holds, occasionalCheck, shareCheck } from './check.ts';
/** Compares the clock of this machine with the database's. */
export { ClockCheck, describeClock, WARN_MS, WRONG_MS } from './clock-check.ts';
/** Whether this node should receive traffic, and the endpoints that load balancers probe. */
export { createReadiness, type Readiness } from './readiness.ts';

export { createHealth } from './service-health.ts';
