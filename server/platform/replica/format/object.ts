import { createHash } from 'node:crypto';

/** Thrown if an object of the replica is missing or does not match its checksum. */
export class DamagedError extends Error {}

const SUM_CHARACTERS = 64;
const NEWLINE = 10;

/**
 * Everything in a replica has this form: the SHA-256 of all that follows, a line; a header as JSON, a line; bytes. So one
 * wrong bit anywhere is found.
 */
export function seal(header: object, content: Uint8Array = new Uint8Array()): { bytes: Buffer; sum: string } {
  const rest = Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), content]);
  const sum = createHash('sha256').update(rest).digest('hex');
  return { bytes: Buffer.concat([Buffer.from(`${sum}\n`), rest]), sum };
}

/** Opens what `seal` made. `key` is for the message. */
export function unseal(
  key: string,
  bytes: Uint8Array | undefined,
): { header: unknown; content: Buffer; sum: string } {
  if (!bytes) throw new DamagedError(`${key} is missing`);
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rest = all.subarray(SUM_CHARACTERS + 1);
  const sum = createHash('sha256').update(rest).digest('hex');
  const lineEnd = rest.indexOf(NEWLINE);
  if (all.toString('latin1', 0, SUM_CHARACTERS + 1) !== `${sum}\n` || lineEnd < 0)
    throw new DamagedError(`${key} does not match its checksum`);
  return { header: JSON.parse(rest.toString('utf8', 0, lineEnd)), content: rest.subarray(lineEnd + 1), sum };
}
