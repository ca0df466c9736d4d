/** Whose processes are counted together: a user, or null for the platform's own functions. */
export type OwnerId = number | null;
