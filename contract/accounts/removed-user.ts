/**
 * Stands for everyone whose account was deleted: as the author of what stays on other people's pages, and as the holder
 * of their part of the ledger. No username has a space, so nobody can register with it or log in.
 */
export const REMOVED_USER = { id: 0, username: 'deleted user' } as const;
