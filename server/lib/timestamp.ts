/** Converts a stored time (milliseconds) to wire format. */
export const toTimestamp = (milliseconds: number) => new Date(milliseconds).toISOString();
