/** Thrown when an answer did not come in time; it may come yet. */
export class LateError extends Error {}

const GRACE_MS = 20;

/** Waits for an answer, but not for long. */
export function inTime<Result>(answer: Promise<Result>, milliseconds: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const giveUp = () => reject(new LateError(`Redis did not answer within ${milliseconds} ms`));
    // A process that was busy all the while finds the answer waiting: it is looked for before giving up.
    let timer = setTimeout(() => {
      timer = setTimeout(giveUp, GRACE_MS);
    }, milliseconds - GRACE_MS);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
