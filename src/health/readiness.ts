import type { Check } from './check.ts';

/** Whether this node should be given traffic. */
export interface Readiness {
  readonly isDraining: boolean;
  /** From now on the node says that it should be given none; what comes is answered all the same. */
  drain(): void;
  /** Answers `/livez` and `/readyz`; undefined for every other path. */
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

  async function report(): Promise<Response> {
    const degraded: string[] = [];
    await Promise.all(
      Object.entries(checks).map(([name, check]) => check().catch(() => void degraded.push(name))),
    );
    // Asked again: it may have been told meanwhile.
    if (isDraining) return draining();
    return Response.json({ status: 'ready', degraded: degraded.sort() }, { headers: HEADERS });
  }

  function draining(): Response {
    return Response.json({ status: 'draining' }, { status: 503, headers: HEADERS });
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
      if (path === '/readyz') return isDraining ? draining() : report();
      return undefined;
    },
  };
}
