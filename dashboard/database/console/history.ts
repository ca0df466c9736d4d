import { me } from '../../session.ts';

/** The statements that were run on each function's database, stored in this browser. */

const MAX_STATEMENTS = 50;
const MAX_CHARACTERS = 20_000;
/** Contains the user's id, because someone else may log in to this browser. */
const toStorageKey = (slug: string) => `quire.sql-history.${me.value?.id}.${slug}`;

export function readHistory(slug: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(toStorageKey(slug)) ?? '[]');
    return Array.isArray(kept)
      ? kept.filter((each) => typeof each === 'string').slice(0, MAX_STATEMENTS)
      : [];
  } catch {
    return [];
  }
}

/** Adds a statement at the front, or moves it there. */
export function remember(slug: string, sql: string): string[] {
  const before = readHistory(slug);
  if (sql.trim() === '' || sql.length > MAX_CHARACTERS) return before;
  return write(slug, [sql, ...before.filter((each) => each !== sql)].slice(0, MAX_STATEMENTS));
}

export const forget = (slug: string): string[] => write(slug, []);

function write(slug: string, statements: string[]): string[] {
  try {
    localStorage.setItem(toStorageKey(slug), JSON.stringify(statements));
  } catch {
    // The storage is full or disabled. The console works without a history.
  }
  return statements;
}

const typedKey = (slug: string) => `quire.sql-text.${me.value?.id}.${slug}`;

/** The last text in the console, kept until the window is closed. */
export function readTyped(slug: string): string | undefined {
  try {
    return sessionStorage.getItem(typedKey(slug)) ?? undefined;
  } catch {
    return undefined;
  }
}

export function keepTyped(slug: string, text: string): void {
  try {
    sessionStorage.setItem(typedKey(slug), text);
  } catch {
    // The storage is full or disabled. The text stays on the screen.
  }
}
