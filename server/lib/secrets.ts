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

const ID_CHARACTERS = 8;

interface KnownKey {
  /** Says which key something was made with, and nothing about the key. */
  id: string;
  bytes: Buffer;
}

/**
 * The secret key of the service, and while it is being replaced, the old one. Both are accepted. The old one is used for
 * what is new until `useNew`, so that a server that does not know the new one yet understands everything.
 */
export class ServiceKey {
  readonly #current: KnownKey;
  readonly #old: KnownKey | undefined;
  #isNewInUse: boolean;

  constructor(current: Buffer, old?: Buffer) {
    this.#current = describe(current);
    this.#old = old && describe(old);
    this.#isNewInUse = old === undefined;
  }

  /** The key that new things are made with. */
  get inUse(): KnownKey {
    return this.#isNewInUse || !this.#old ? this.#current : this.#old;
  }

  /** The key that will be there when the old one is gone. */
  get newest(): KnownKey {
    return this.#current;
  }

  get isReplaced(): boolean {
    return this.#old !== undefined;
  }

  /** Every accepted key, the one in use first. */
  get all(): KnownKey[] {
    const { inUse } = this;
    return [inUse, ...[this.#current, this.#old].filter((key) => key !== undefined && key !== inUse)].filter(
      (key) => key !== undefined,
    );
  }

  /** From now on, new things are made with the new key. */
  useNew(): void {
    this.#isNewInUse = true;
  }

  /** The keys that something may have been made with: the one of its id, or all if it was made before keys had ids. */
  find(id: string | undefined): KnownKey[] {
    return id === undefined ? this.all : this.all.filter((key) => key.id === id);
  }
}

/** The id of a key. */
export function keyId(bytes: Buffer): string {
  return createHash('sha256')
    .update('quire key id\n')
    .update(bytes)
    .digest('base64url')
    .slice(0, ID_CHARACTERS);
}

function describe(bytes: Buffer): KnownKey {
  return { id: keyId(bytes), bytes };
}

/** Encodes a small value and an expiry as a string that only the holder of `key` can create. It begins with the key's id. */
export function sign(key: ServiceKey, purpose: string, payload: object, expiresAt: number): string {
  const { id, bytes } = key.inUse;
  const body = Buffer.from(JSON.stringify({ ...payload, exp: expiresAt })).toString('base64url');
  return `${id}.${body}.${mac(bytes, purpose, body).toString('base64url')}`;
}

/** The signed value; undefined if it was signed with another key, is for another purpose, or has expired. */
export function verify(key: ServiceKey, purpose: string, signed: string, now: number): unknown {
  const parts = signed.split('.');
  // What was signed before keys had ids has two parts.
  const [id, body, signature] = parts.length === 2 ? [undefined, ...parts] : parts;
  if (!body || !signature || parts.length > 3) return undefined;
  const given = Buffer.from(signature, 'base64url');
  const isSigned = key.find(id).some(({ bytes }) => {
    const expected = mac(bytes, purpose, body);
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
  if (!isSigned) return undefined;
  const payload = JSON.parse(Buffer.from(body, 'base64url').toString()) as { exp: number };
  return payload.exp > now ? payload : undefined;
}

/** Shows that something came from this service: the same for one purpose and thing, until the key is replaced. */
export function makeSeal(key: ServiceKey, purpose: string, id: number): string {
  return mac(key.inUse.bytes, purpose, String(id)).subarray(0, 16).toString('base64url');
}

function mac(key: Buffer, purpose: string, body: string): Buffer {
  return createHmac('sha256', key).update(`${purpose}\n${body}`).digest();
}

/** Seals secrets for storage: AES-256-GCM, after the id of the key and a dot. */
export interface Sealer {
  /** `context` says what the secret belongs to; it cannot be opened with another. */
  seal(value: string, context: string): string;
  open(sealed: string, context: string): string;
  /** Seals a sealed secret again with the newest key. It is `lost` if its key is neither of those that are accepted. */
  reseal(sealed: string, context: string): string | 'current' | 'lost';
}

/** What became of secrets that were encrypted again: how many were, and the names of those that cannot be opened. */
export interface Resealed {
  moved: number;
  lost: string[];
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/** Creates a sealer. Its keys are derived from the service's own, for one purpose only. */
export function createSealer(serviceKey: ServiceKey, purpose: string): Sealer {
  const derived = new Map<string, Buffer>();
  function derive({ id, bytes }: { id: string; bytes: Buffer }): Buffer {
    const key = derived.get(id) ?? Buffer.from(hkdfSync('sha256', bytes, '', purpose, 32));
    derived.set(id, key);
    return key;
  }
  const sealWith = (key: { id: string; bytes: Buffer }, value: string, context: string) =>
    `${key.id}.${encrypt(derive(key), value, context)}`;
  function open(sealed: string, context: string): string {
    const [first = '', second] = sealed.split('.');
    const [id, text] = second === undefined ? [undefined, first] : [first, second];
    const keys = serviceKey.find(id);
    for (const [at, key] of keys.entries()) {
      try {
        return decrypt(derive(key), text, context);
      } catch (error) {
        if (at === keys.length - 1) throw error;
      }
    }
    throw new Error(`it was sealed with the key ${id}, which is neither QUIRE_SECRET nor QUIRE_SECRET_OLD`);
  }
  return {
    open,
    seal: (value, context) => sealWith(serviceKey.inUse, value, context),
    reseal(sealed, context) {
      const { newest } = serviceKey;
      if (sealed.startsWith(`${newest.id}.`)) return 'current';
      try {
        return sealWith(newest, open(sealed, context), context);
      } catch {
        return 'lost';
      }
    },
  };
}

function encrypt(key: Buffer, value: string, context: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(context));
  const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64');
}

function decrypt(key: Buffer, text: string, context: string): string {
  const bytes = Buffer.from(text, 'base64');
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
    .setAAD(Buffer.from(context))
    .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  const sealed = bytes.subarray(NONCE_BYTES + TAG_BYTES);
  return Buffer.concat([decipher.update(sealed), decipher.final()]).toString('utf8');
}
