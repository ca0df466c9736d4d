/** A stored moment (milliseconds) as it goes over the wire. */
export const toTimestamp = (milliseconds: number) => new Date(milliseconds).toISOString();
