/** What workers and server say of a database that cannot be had for a moment. */

/** The shim knows by these words that a call failed for no fault of its function. */
export const MOVING = 'The database is moving to another machine.';

/** Nothing was done. */
export const MOVING_UNTOUCHED = `${MOVING} Nothing was changed. Try again in a moment.`;

/** The machine was lost after it had been asked, so nobody knows. */
export const MOVING_UNKNOWN = `${MOVING} It may or may not have done this: look before you try again.`;

/** Names a write, so that it can be found out whether it was begun. */
export const WRITE_ID = 'x-quire-write';

/** On a write that is sent again after it got no answer: when it was sent first. */
export const AGAIN = 'x-quire-again';

/** On the answer of a database that cannot rule out that a write has been run before, and has not run it. */
export const MAYBE_RUN = 'x-quire-maybe-run';

/** On the answer of a host that is about to end, and has not run what it was asked. */
export const NOT_RUN = 'x-quire-not-run';

export function movingAnswer(error: string): Response {
  const code = error === MOVING_UNKNOWN ? 'OUTCOME_UNKNOWN' : 'UNAVAILABLE';
  return Response.json({ success: false, error, code }, { status: 503 });
}
