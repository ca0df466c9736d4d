/** Quotes a name for SQLite. */
export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`;
