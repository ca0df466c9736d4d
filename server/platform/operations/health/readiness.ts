import type { Check } from './check.ts';

/** Whether this node should be given traffic. */
export interface Readiness {
  readonly isDraining: boolean;
  /** From now on the node says that it should be given none; what comes is answered all the same. */
  drain(): void;
  /** Answers `/livez`, `/readyz` and `/readyz/haproxy`; undefined for every other path. */
  answer(path: string): Response | Promise<Response> | undefined;
}

const HEADERS = { 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' };

/**
 * A node is ready from when it listens until it is told to stop. That something it needs does not answer is told, but is
 * no reason to leave: all nodes share the database, so all would leave at once, and take published pages, which they
 * have in memory, with them. See decision 17.
 */
export function createReadiness(checks: Record<string, Check>): Readiness {
  let isDraining = false;

  async function report(drainingStatus: number): Promise<Response> {
    const degraded: string[] = [];
    await Promise.all(
      Object.entries(checks).map(([name, check]) => check().catch(() => void degraded.push(name))),
    );
    // Asked again: it may have been told meanwhile.
    if (isDraining) return draining(drainingStatus);
    return Response.json({ status: 'ready', degraded: degraded.sort() }, { headers: HEADERS });
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
    answer(path) {
      if (path === '/livez') return Response.json({ status: 'alive' }, { headers: HEADERS });
      if (path === '/readyz') return isDraining ? draining(503) : report(503);
      // By a 404 haproxy tells a node that lets its requests end from one that hangs, whose requests it gives up.
      if (path === '/readyz/haproxy') return isDraining ? draining(404) : report(404);
      return undefined;
    },
  };
}
