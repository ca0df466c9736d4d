/** Health checks: shared ones with a time limit, occasional ones, and ones for a known state. */
export { type Check, holds, occasionalCheck, shareCheck } from './check.ts';
/** Compares the clock of this machine with the database's. */
export { CLOCK_WARN_MS, CLOCK_WRONG_MS, ClockCheck, describeClock } from './clock-check.ts';
/** Whether this node should receive traffic, and the endpoints that load balancers probe. */
export { createReadiness, type Readiness } from './readiness.ts';

export { createHealth } from './service-health.ts';
