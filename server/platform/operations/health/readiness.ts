import type { Check } from './check.ts';

/** Whether this node should receive traffic. */
export interface Readiness {
  readonly isDraining: boolean;
  /** From now on the node reports that it should not receive traffic. It still serves requests that arrive. */
  drain(): void;
  /** Adds what operators want to know to the report. */
  report(read: () => Record<string, unknown>): void;
  /** Responds to `/livez`, `/readyz` and `/readyz/haproxy`; undefined for other paths. */
  answer(path: string): Response | Promise<Response> | undefined;
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/**
 * A node is ready from when it listens until it begins to stop. It reports an unavailable dependency, but stays ready:
 * all nodes share the database, so all would leave together, and with them the pages in their memory. `faults` are what
 * only this node has, so others should get its requests. See decision 17.
 */
export function createReadiness(
  checks: Record<string, Check>,
  faults: Record<string, () => boolean> = {},
): Readiness {
  let isDraining = false;
  let readMore = (): Record<string, unknown> => ({});

  async function respond(refusalStatus: number): Promise<Response> {
    const degraded: string[] = [];
    await Promise.all(
      Object.entries(checks).map(([name, check]) => check().catch(() => void degraded.push(name))),
    );
    // Check again: draining may have started meanwhile.
    if (isDraining) return draining(refusalStatus);
    const found = Object.keys(faults).filter((name) => faults[name]?.());
    if (found.length > 0)
      return Response.json(
        { status: 'not ready', reasons: found, degraded: degraded.sort(), ...readMore() },
        { status: refusalStatus, headers: HEADERS },
      );
    return Response.json({ status: 'ready', degraded: degraded.sort(), ...readMore() }, { headers: HEADERS });
  }

  function draining(status: number): Response {
    return Response.json({ status: 'draining' }, { status, headers: HEADERS });
  }

  return {
    get isDraining() {
      return isDraining;
    },
    drain() {
      isDraining = true;
    },
    report(read) {
      readMore = read;
    },
    answer(path) {
      if (path === '/livez') return Response.json({ status: 'alive' }, { headers: HEADERS });
      if (path === '/readyz') return isDraining ? draining(503) : respond(503);
      // A 404 tells haproxy to send no more requests. Otherwise it would treat the node as dead and drop those it has.
      if (path === '/readyz/haproxy') return isDraining ? draining(404) : respond(404);
      return undefined;
    },
  };
}
