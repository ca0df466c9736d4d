import { AppError } from '../../../lib/errors.ts';
import { AtOnce } from '../../../platform/coordination/limits/index.ts';
import { type EnvService, readRun, type ServicesContext } from './context.ts';
import { FunctionCall } from './questions.ts';

/**
 * Calls between the functions of one owner that are in progress at once. Each call waits for those that it makes, so a
 * function that calls itself ends here.
 */
const MAX_BETWEEN = 16;
/** The functions of an owner can make this many times as many calls of each other as an IP address can make calls. */
const TIMES_ADDRESS_LIMIT = 10;

/** `env.FUNCTIONS`: calls another function of the same owner. */
export function createFunctionsService(context: ServicesContext): EnvService<typeof FunctionCall> {
  const { calls, config, limits } = context;
  const running = new AtOnce<number>(MAX_BETWEEN);
  const limit = limits.limit(
    'calls between functions',
    { points: TIMES_ADDRESS_LIMIT * config.callsPerMinute, seconds: 60 },
    'Your functions have called each other {points} times in the last minute, which is the limit. Try again {wait}.',
  );
  return {
    question: FunctionCall,
    async run({ asking }, { slug, body }, request) {
      const { ownerId } = asking;
      const leave = running.enter(ownerId);
      if (!leave) throw tooDeep();
      try {
        await limit.take(String(ownerId));
        return await calls.callBetween(asking, slug, JSON.stringify(body ?? {}), {
          signal: request.signal,
          run: readRun(request),
        });
      } finally {
        leave();
      }
    },
  };
}

const tooDeep = () =>
  new AppError(
    'RATE_LIMITED',
    '{count} calls between your functions are in progress, which is the limit. Does a function call itself?',
    { count: MAX_BETWEEN },
    { headers: { 'retry-after': '1' } },
  );
