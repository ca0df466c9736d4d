import { AppError } from '../../lib/errors.ts';
import type { BundlePart } from './source-map.ts';

/** Why the bundler does not compile something. */

/** The most bytes of a bundle. */
export const MAX_BUNDLE_BYTES = 5 * 1024 * 1024;

export const NO_SANDBOX =
  'TypeScript, further files and npm packages need a sandbox for the compiler, and bubblewrap does not work on this server. Deploy one JavaScript module without imports.';

export function tooLarge(bytes: number | undefined, largest: BundlePart[] = []): string {
  const size = bytes === undefined ? 'is too large' : `has ${bytes.toLocaleString('en')} bytes`;
  const parts = largest.slice(0, 3).map((part) => `${part.name} (${part.size.toLocaleString('en')})`);
  const named = parts.length === 0 ? '' : ` The largest: ${parts.join(', ')}.`;
  return `The bundle of the code and its packages ${size}; at most ${MAX_BUNDLE_BYTES.toLocaleString('en')} are allowed.${named}`;
}

export const busy = () =>
  new AppError(
    'UNAVAILABLE',
    'Too many functions are being compiled. Try again in a moment.',
    {},
    {
      headers: { 'retry-after': '5' },
    },
  );
