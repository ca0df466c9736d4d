import { AppError } from '../http/index.ts';
import type { Limit } from '../limits/index.ts';

/** So many modules of one owner are loaded at a time: one that never finishes takes 5 seconds of a processor. */
export const DEPLOYS_AT_ONCE = 2;
/** Who deploys more waits this long for the others. */
const WAIT_MS = 15_000;

/** Keeps deploys of one owner within a rate, and lets few of them run at a time. */
export interface DeployTurns {
  run<Result>(owner: number, deploy: () => Promise<Result>): Promise<Result>;
}

interface Line {
  running: number;
  /** Called when it is their turn, in the order in which they came. */
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
      // The turn passes on, so the number of those that run stays as it is.
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
    `You have ${DEPLOYS_AT_ONCE} deploys under way that take long to load. Deploy again when one of them has finished.`,
    { headers: { 'retry-after': '5' } },
  );
}
