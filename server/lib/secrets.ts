import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';

/** 32 random bytes, safe in URLs and cookies. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}

/** The hash that is stored instead of a secret. Secrets are random, so a plain hash is enough. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url');
}

/** Whether a hash is that of a secret. The comparison takes constant time. */
export function matchesHash(secret: string, hash: string): boolean {
  const [given, expected] = [Buffer.from(hashSecret(secret)), Buffer.from(hash)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}

/**
 * A token that secret scanners can recognise: a prefix, a random part, and a checksum of both, so that a leaked token
 * can be distinguished from a look-alike without querying the database.
 */
export function makeToken(prefix: string): string {
  const body = prefix + randomBytes(30).toString('base64url');
  return body + checksum(body);
}

/** Whether the token's checksum is valid; an invalid one saves a database query. */
export function isTokenShaped(token: string): boolean {
  return token.startsWith('qr') && token.length < 100 && token.endsWith(checksum(token.slice(0, -6)));
}

function checksum(text: string): string {
  return Bun.hash.crc32(text).toString(36).padStart(7, '0').slice(-6);
}

/** Encodes a small value and an expiry as a string that only the holder of `key` can create. */
export function sign(key: Buffer, purpose: string, payload: object, expiresAt: number): string {
  const body = Buffer.from(JSON.stringify({ ...payload, exp: expiresAt })).toString('base64url');
  return `${body}.${mac(key, purpose, body).toString('base64url')}`;
}

/** The signed value; undefined if it was signed with another key, is for another purpose, or has expired. */
export function verify(key: Buffer, purpose: string, signed: string, now: number): unknown {
  const [body, signature, more] = signed.split('.');
  if (!body || !signature || more !== undefined) return undefined;
  const given = Buffer.from(signature, 'base64url');
  const expected = mac(key, purpose, body);
  if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined;
  const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as { exp: number };
  return payload.exp > now ? payload : undefined;
}

/** Shows that something came from this service: the same for one purpose and thing, every time. */
export function makeSeal(key: Buffer, purpose: string, id: number): string {
  return mac(key, purpose, String(id)).subarray(0, 16).toString('base64url');
}

function mac(key: Buffer, purpose: string, body: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n${body}`).digest();
}

/** Seals secrets for storage: AES-256-GCM. */
export interface Sealer {
  /** `context` says what the secret belongs to; it cannot be opened with another. */
  seal(value: string, context: string): string;
  open(sealed: string, context: string): string;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates a sealer. Its key is derived from the service's own, for one purpose only. */
export function createSealer(serviceKey: Buffer, purpose: string): Sealer {
  const key = Buffer.from(hkdfSync('sha256', serviceKey, '', purpose, 32));
  return {
    seal(value, context) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
      const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
    },
    open(text, context) {
      const bytes = Buffer.from(text, 'base64');
      const nonce = bytes.subarray(0, NONCE_BYTES);
      const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
      const decipher = createDecipheriv('aes-256-gcm', key, nonce)
        .setAAD(Buffer.from(context))
        .setAuthTag(tag);
      return Buffer.concat([
        decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)),
        decipher.final(),
      ]).toString('utf8');
    },
  };
}
