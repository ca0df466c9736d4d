/** What workers and server say of a database that cannot be had for a moment. */

/** The shim knows by these words that a call failed for no fault of its function. */
export const MOVING = 'The database is moving to another machine.';

/** Nothing was done. */
export const MOVING_UNTOUCHED = `${MOVING} Nothing was changed. Try again in a moment.`;

/** The machine was lost after it had been asked, so nobody knows. */
export const MOVING_UNKNOWN = `${MOVING} It may or may not have done this. Look, and try again in a moment.`;

/** On the answer of a host that is about to end, and has not run what it was asked. */
export const NOT_RUN = 'x-quire-not-run';

export function movingAnswer(error: string): Response {
  return Response.json({ success: false, error, code: 'UNAVAILABLE' }, { status: 503 });
}
