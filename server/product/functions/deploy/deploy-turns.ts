import { AppError } from '../../../lib/errors.ts';
import type { Limit } from '../../../platform/coordination/limits/index.ts';

/** Deploys of one owner at a time: a module that never finishes loading uses a processor for 5 seconds. */
const DEPLOYS_AT_ONCE = 2;
/** How long further deploys wait for their turn. */
const WAIT_MS = 15_000;

/** Limits how often, and how many at a time, an owner deploys. */
export interface DeployTurns {
  run<Result>(owner: number, deploy: () => Promise<Result>): Promise<Result>;
}

interface Line {
  running: number;
  /** The waiting deploys, in order. Each function is called when its turn comes. */
  waiting: Set<() => void>;
}

export function createDeployTurns(limit: Limit): DeployTurns {
  const lines = new Map<number, Line>();

  async function begin(owner: number): Promise<Line> {
    const line = lines.get(owner) ?? { running: 0, waiting: new Set() };
    lines.set(owner, line);
    if (line.running < DEPLOYS_AT_ONCE) {
      line.running++;
      return line;
    }
    const isOurTurn = await new Promise<boolean>((resolve) => {
      const call = () => {
        clearTimeout(timer);
        resolve(true);
      };
      const timer = setTimeout(() => {
        line.waiting.delete(call);
        resolve(false);
      }, WAIT_MS);
      line.waiting.add(call);
    });
    if (!isOurTurn) throw tooManyAtOnce();
    return line;
  }

  function end(owner: number, line: Line): void {
    const [next] = line.waiting;
    if (next) {
      // The turn goes to the next deploy, so `running` stays the same.
      line.waiting.delete(next);
      next();
      return;
    }
    line.running--;
    if (line.running === 0) lines.delete(owner);
  }

  return {
    async run(owner, deploy) {
      await limit.take(String(owner));
      const line = await begin(owner);
      try {
        return await deploy();
      } finally {
        end(owner, line);
      }
    },
  };
}

function tooManyAtOnce(): AppError {
  return new AppError(
    'UNAVAILABLE',
    'You already have {count} deploys in progress. Deploy again when one of them has finished.',
    { count: DEPLOYS_AT_ONCE },
    { headers: { 'retry-after': '5' } },
  );
}
