import {
  DATABASE_NAME,
  isFunctionSlug,
  isSecretName,
  MAX_FUNCTION_SLUG,
  PLATFORM,
} from '../../contract/rules/function-names.ts';
import { t } from '../texts/index.ts';

/** Checks names while they are typed. The service checks them again. */

/** The error in a slug. An empty slug has no error: nothing has been typed yet. */
export function slugFault(slug: string): string | undefined {
  if (slug === '' || isFunctionSlug(slug)) return undefined;
  if (slug.length > MAX_FUNCTION_SLUG) {
    return t('Use at most {max} characters. This slug has {count}.', {
      max: MAX_FUNCTION_SLUG,
      count: slug.length,
    });
  }
  if (/[^a-z0-9-]/.test(slug)) return t('Use only a-z, 0-9 and hyphens.');
  return t('The slug must start and end with a letter or digit.');
}

/** The error in the name of a secret. */
export function secretNameFault(name: string): string | undefined {
  if (name === '' || isSecretName(name)) return undefined;
  if (name === DATABASE_NAME)
    return t('The name {name} is reserved for the database.', { name: DATABASE_NAME });
  return t('Use only A-Z, 0-9 and _, start with a letter, and use at most 100 characters.');
}

/** The name of a function on the screen. */
export const chooseName = ({ displayName, slug }: { displayName: string; slug: string }) =>
  displayName || slug;

/** The path of the screen that creates a function. No slug contains an underscore, so it cannot clash with one. */
export const NEW = '_new';

/** The slug of the built-in function. */
export const BUILTIN = 'unfurl-url';
export { PLATFORM };
