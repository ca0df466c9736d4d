import { nearest } from '../../cli/nearest.ts';
import { SECRET_FILE_NAMES, SETTING_NAMES } from '../platform/config/index.ts';

const KNOWN = [...SETTING_NAMES, ...SECRET_FILE_NAMES];

/** Settings of the command line and the tests, not of the server. */
const NOT_OURS = /^QUIRE_(URL|TOKEN|TEST_.*)$/;

/** One sentence for each `QUIRE_*` variable that is not a setting, so that a misspelling is not silently ignored. */
export function unknownSettings(environment: Record<string, string | undefined>): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('QUIRE_') && !KNOWN.includes(name) && !NOT_OURS.test(name))
    .map((name) => {
      const meant = nearest(name, KNOWN);
      return `${name} is not a setting and has no effect.${meant ? ` Did you mean ${meant}?` : ''}`;
    });
}
