/** Checks names while they are typed. The service checks them again. */

const SLUG = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,99}$/;

/** The error in a slug. An empty slug has no error: nothing has been typed yet. */
export function slugFault(slug: string): string | undefined {
  if (slug === '' || (SLUG.test(slug) && slug.length <= 100)) return undefined;
  if (slug.length > 100) return `Use at most 100 characters. This slug has ${slug.length}.`;
  if (/[^a-z0-9-]/.test(slug)) return 'Use only a-z, 0-9 and hyphens.';
  return 'The slug must start and end with a letter or digit.';
}

/** The error in the name of a secret. */
export function secretNameFault(name: string): string | undefined {
  if (name === '' || (SECRET_NAME.test(name) && name !== 'DB')) return undefined;
  if (name === 'DB') return 'The name DB is reserved for the database.';
  return 'Use only A-Z, 0-9 and _, start with a letter, and use at most 100 characters.';
}

/** The name of a function on the screen. */
export const nameOf = ({ displayName, slug }: { displayName: string; slug: string }) => displayName || slug;

/** The path of the screen that creates a function. No slug contains an underscore, so it cannot clash with one. */
export const NEW = '_new';

/** The slug of the built-in function. */
export const BUILTIN = 'unfurl-url';
/** The owner of the built-in function. */
export const PLATFORM = 'system';
