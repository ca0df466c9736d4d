import { createHash, randomBytes } from 'node:crypto';
import { createSealer, hashSecret, ServiceKey } from '../../lib/secrets.ts';

/**
 * A token with which a new machine gets the settings of a cluster, once. It has the address of the service and a key.
 * Only a hash of the key's other half and what the key has sealed leave the machine that made it.
 */
export interface JoinToken {
  text: string;
  baseUrl: string;
  /** Finds the settings at the service. It does not open them. */
  lookup: string;
  seal(settings: Settings): string;
  /** Throws if it was sealed with another token. */
  open(sealed: string): Settings;
}

type Settings = Record<string, string>;

/** Secret scanners can recognise it. */
const PREFIX = 'qrjoin_';
const KEY_BYTES = 32;
const CHECK_BYTES = 4;
const MAX_CHARACTERS = 4096;

export function makeJoinToken(baseUrl: string): JoinToken {
  return describe(randomBytes(KEY_BYTES), baseUrl);
}

/** Reads a token; undefined if it is not complete or has a typing error. */
export function readJoinToken(text: string): JoinToken | undefined {
  if (!text.startsWith(PREFIX) || text.length > MAX_CHARACTERS) return undefined;
  const bytes = Buffer.from(text.slice(PREFIX.length), 'base64url');
  const key = bytes.subarray(0, KEY_BYTES);
  const baseUrl = bytes.subarray(KEY_BYTES, -CHECK_BYTES).toString();
  // Also refuses what decodes to the same bytes, such as a token with spaces in it.
  if (bytes.length <= KEY_BYTES + CHECK_BYTES || !URL.canParse(baseUrl)) return undefined;
  const token = describe(key, baseUrl);
  return token.text === text ? token : undefined;
}

function describe(key: Buffer, baseUrl: string): JoinToken {
  const body = Buffer.concat([key, Buffer.from(baseUrl)]);
  const check = createHash('sha256').update(body).digest().subarray(0, CHECK_BYTES);
  const sealer = createSealer(new ServiceKey(key), 'settings of a cluster');
  return {
    text: PREFIX + Buffer.concat([body, check]).toString('base64url'),
    baseUrl,
    lookup: hashSecret(`join a cluster\n${baseUrl}\n${key.toString('base64url')}`),
    seal: (settings) => sealer.seal(JSON.stringify(settings), baseUrl),
    open: (sealed) => JSON.parse(sealer.open(sealed, baseUrl)) as Settings,
  };
}
