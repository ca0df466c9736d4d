import { readdirSync } from 'node:fs';
import type { Registry } from 'prom-client';
import { counter, gauge } from './figures.ts';

const LOOK_EVERY_MS = 1_000;
/** Samples in one minute. */
const KEPT = 60;

/**
 * The process's resource usage, under prom-client's standard names. Its own collectors also work here, but measure the
 * event loop with a timer that wakes an idle process a hundred times a second and cannot be stopped.
 */
export function startProcessFigures(registry: Registry): { stop(): void } {
  const lags: number[] = [];
  let expectedAt = performance.now() + LOOK_EVERY_MS;
  const timer = setInterval(() => {
    const now = performance.now();
    lags.push(Math.max(0, now - expectedAt) / 1000);
    if (lags.length > KEPT) lags.shift();
    expectedAt = now + LOOK_EVERY_MS;
  }, LOOK_EVERY_MS);
  timer.unref();

  counter(registry, {
    name: 'process_cpu_seconds_total',
    help: 'Processor time of this process, without its helpers.',
    read() {
      const { user, system } = process.cpuUsage();
      return (user + system) / 1e6;
    },
  });
  gauge(registry, {
    name: 'process_resident_memory_bytes',
    help: 'Memory of this process, without its helpers.',
    read: () => process.memoryUsage.rss(),
  });
  gauge(registry, {
    name: 'process_start_time_seconds',
    help: 'When this process started, in seconds since 1970.',
    read: () => Math.round(Date.now() / 1000 - process.uptime()),
  });
  gauge(registry, {
    name: 'process_open_fds',
    help: 'Open file descriptors.',
    read: () => readdirSync('/proc/self/fd').length,
  });
  gauge(registry, {
    name: 'nodejs_eventloop_lag_max_seconds',
    help: 'The longest delay of the event loop in the last minute, measured once a second.',
    read: () => Math.max(0, ...lags),
  });
  gauge(registry, {
    name: 'nodejs_eventloop_lag_mean_seconds',
    help: 'The average delay of the event loop in the last minute, measured once a second.',
    read: () => lags.reduce((sum, lag) => sum + lag, 0) / Math.max(1, lags.length),
  });
  return { stop: () => clearInterval(timer) };
}
