/** The owner that processes count for: a user, or null for the platform's own functions. */
export type OwnerId = number | null;
