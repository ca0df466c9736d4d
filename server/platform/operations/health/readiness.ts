import type { Check } from './check.ts';

/** Whether this node should receive traffic. */
export interface Readiness {
  readonly isDraining: boolean;
  /** From now on the node reports that it should not receive traffic. It still serves requests that arrive. */
  drain(): void;
  /** Adds what operators want to know to the report. */
  report(read: () => Record<string, unknown>): void;
  /** What is unavailable, and why this node should not receive traffic: 1 for each that holds, 0 for the others. */
  look(): Promise<{ degraded: Record<string, number>; reasons: Record<string, number> }>;
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

  const look = () => lookAt(checks, faults);

  async function respond(refusalStatus: number): Promise<Response> {
    const found = await look();
    // Check again: draining may have started meanwhile.
    if (isDraining) return draining(refusalStatus);
    const degraded = namesIn(found.degraded).sort();
    const reasons = namesIn(found.reasons);
    if (reasons.length > 0)
      return Response.json(
        { status: 'not ready', reasons, degraded, ...readMore() },
        { status: refusalStatus, headers: HEADERS },
      );
    return Response.json({ status: 'ready', degraded, ...readMore() }, { headers: HEADERS });
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
    look,
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

async function lookAt(checks: Record<string, Check>, faults: Record<string, () => boolean>) {
  const degraded = Object.entries(checks).map(
    async ([name, check]): Promise<[string, number]> => [
      name,
      await check().then(
        () => 0,
        () => 1,
      ),
    ],
  );
  return {
    degraded: Object.fromEntries(await Promise.all(degraded)),
    reasons: Object.fromEntries(Object.entries(faults).map(([name, holds]) => [name, holds() ? 1 : 0])),
  };
}

const namesIn = (found: Record<string, number>) => Object.keys(found).filter((name) => found[name] === 1);
