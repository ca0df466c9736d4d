import type { TryQuery } from '../../../contract/templates/wishes.ts';

/** The screen where people try a template. */
export const TRY_PATH = '/try';
/** The path of the form that publishes, below `/try`. */
export const PUBLISH_BELOW = '/publish';
/** The path of the form that starts the builder, below `/try`. */
export const BUILD_BELOW = '/build';

/** The address of a template to try, or of a place below it, with what a person has said so far. */
export function toTryPath(given: Partial<TryQuery>, below = ''): string {
  const said = Object.entries(given).filter(([, value]) => value !== '' && value !== undefined);
  const query = new URLSearchParams(said as [string, string][]).toString();
  return `${TRY_PATH}${below}${query && `?${query}`}`;
}
