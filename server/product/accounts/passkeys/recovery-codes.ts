import { randomBytes } from 'node:crypto';
import { RECOVERY_CODES } from '../../../../contract/rules/limits.ts';
import { hashSecret } from '../../../lib/secrets.ts';

/** The characters of recovery codes, without letters that look like digits. */
const LETTERS = 'abcdefghjkmnpqrstuvwxyz023456789';
/** Characters of a recovery code. Each has five bits: with 80 bits, the plain hash of a code cannot be reversed. */
const LENGTH = 16;

/** Makes new recovery codes, such as `k3v9-2mzt-q7hd-x8ra`. */
export function makeRecoveryCodes(): string[] {
  return Array.from({ length: RECOVERY_CODES }, () => {
    const letters = Array.from(randomBytes(LENGTH), (byte) => LETTERS[byte % LETTERS.length]);
    return letters.join('').replace(/.{4}(?=.)/g, '$&-');
  });
}

/** Hashes a recovery code as people type it: in any case, with or without spaces and hyphens. */
export function hashRecoveryCode(code: string): string {
  return hashSecret(code.toLowerCase().replace(/[^a-z0-9]/g, ''));
}
