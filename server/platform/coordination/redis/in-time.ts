/** Thrown if a response did not arrive in time. It may still arrive. */
export class LateError extends Error {}

const GRACE_MS = 20;

/** Waits for a response with a time limit. */
export function inTime<Result>(answer: Promise<Result>, milliseconds: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new LateError(`Redis did not answer within ${milliseconds} ms`));
    // If the process was busy, the response may already be there: check once more before giving up.
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, GRACE_MS);
    }, milliseconds - GRACE_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
