import { me } from '../../session.ts';

/** Statements that were run, kept by the browser for each function. */

const MAX_STATEMENTS = 50;
const MAX_CHARACTERS = 20_000;
/** A person's own: somebody else may log in to this browser. */
const keyOf = (slug: string) => `quire.sql-history.${me.value?.id}.${slug}`;

export function readHistory(slug: string): string[] {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(keyOf(slug)) ?? '[]');
    return Array.isArray(kept)
      ? kept.filter((each) => typeof each === 'string').slice(0, MAX_STATEMENTS)
      : [];
  } catch {
    return [];
  }
}

/** Puts a statement in front; one that was there moves. */
export function remember(slug: string, sql: string): string[] {
  const before = readHistory(slug);
  if (sql.trim() === '' || sql.length > MAX_CHARACTERS) return before;
  return write(slug, [sql, ...before.filter((each) => each !== sql)].slice(0, MAX_STATEMENTS));
}

export const forget = (slug: string): string[] => write(slug, []);

function write(slug: string, statements: string[]): string[] {
  try {
    localStorage.setItem(keyOf(slug), JSON.stringify(statements));
  } catch {
    // A history that is not kept is no reason to stop.
  }
  return statements;
}

const typedKey = (slug: string) => `quire.sql-text.${me.value?.id}.${slug}`;

/** What stood in the console last, for as long as this window is open. */
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
    // It stays on the screen, at least.
  }
}
