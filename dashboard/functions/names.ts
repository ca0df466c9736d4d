/** What the service takes for names, said while they are typed; it has the last word. */

const SLUG = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
const SECRET_NAME = /^[A-Z][A-Z0-9_]{0,99}$/;

/** What is wrong with a slug; an empty one has only not been typed yet. */
export function slugFault(slug: string): string | undefined {
  if (slug === '' || (SLUG.test(slug) && slug.length <= 100)) return undefined;
  if (slug.length > 100) return `At most 100 characters; these are ${slug.length}.`;
  if (/[^a-z0-9-]/.test(slug)) return 'Only a-z, 0-9 and hyphens.';
  return 'It must begin and end with a letter or digit.';
}

/** What is wrong with the name of a secret. */
export function secretNameFault(name: string): string | undefined {
  if (name === '' || (SECRET_NAME.test(name) && name !== 'DB')) return undefined;
  if (name === 'DB') return 'DB is the database.';
  return 'Only A-Z, 0-9 and _, beginning with a letter, 100 at most.';
}

/** What a function is called on the screen. */
export const nameOf = ({ displayName, slug }: { displayName: string; slug: string }) => displayName || slug;

/** Where a function is made: no slug has an underscore, so it hides none. */
export const NEW = '_new';

/** The function that the platform brings along. */
export const BUILTIN = 'unfurl-url';
/** Whose it is, in the words of the API. */
export const PLATFORM = 'system';
