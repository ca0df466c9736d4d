import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto';

/** An authenticator in software. It also gives the answers that no honest one gives. */

const PRESENT = 0x01;
const VERIFIED = 0x04;
const CAN_SYNC = 0x08;
const HAS_CREDENTIAL = 0x40;

/** How an answer differs from an honest one. */
export interface Twist {
  origin?: string;
  rpId?: string;
  type?: string;
  challenge?: string;
  crossOrigin?: boolean;
  flags?: number;
  counter?: number;
  /** Of a new passkey. */
  attestation?: { fmt: string; attStmt: Map<CborKey, Cbor> };
  /** Signs something else. */
  tampered?: boolean;
  credentialId?: string;
}

interface Options {
  challenge: string;
  rpId?: string;
  rp?: { id: string };
}

export class Authenticator {
  readonly credentialId: string;
  readonly #origin: string;
  readonly #keys: { privateKey: KeyObject; publicKey: KeyObject };
  readonly #isSynced: boolean;
  /** Synced passkeys do not count. */
  counter = 0;

  constructor(origin: string, { isSynced = true } = {}) {
    this.#origin = origin;
    this.#isSynced = isSynced;
    this.#keys = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.credentialId = randomBytes(32).toString('base64url');
  }

  /** Answers the options for a new passkey. */
  create(options: Options, twist: Twist = {}) {
    const credentialId = Buffer.from(twist.credentialId ?? this.credentialId, 'base64url');
    const authData = Buffer.concat([
      this.#authenticatorData(options, { ...twist, flags: (twist.flags ?? this.#flags()) | HAS_CREDENTIAL }),
      Buffer.alloc(16),
      Buffer.from([credentialId.length >> 8, credentialId.length & 0xff]),
      credentialId,
      encode(this.#coseKey()),
    ]);
    const { fmt, attStmt } = twist.attestation ?? { fmt: 'none', attStmt: new Map() };
    const attestation = encode(
      new Map<CborKey, Cbor>([
        ['fmt', fmt],
        ['attStmt', attStmt],
        ['authData', authData],
      ]),
    );
    return this.#answer(twist, {
      clientDataJSON: this.#clientData(options, 'webauthn.create', twist).toString('base64url'),
      attestationObject: attestation.toString('base64url'),
      transports: ['internal'],
    });
  }

  /** Answers the options for a login. */
  get(options: Options, twist: Twist = {}) {
    if (!this.#isSynced) this.counter++;
    const clientData = this.#clientData(options, 'webauthn.get', twist);
    const authData = this.#authenticatorData(options, twist);
    const hash = createHash('sha256').update(clientData).digest();
    const signed = Buffer.concat([authData, twist.tampered ? randomBytes(32) : hash]);
    return this.#answer(twist, {
      clientDataJSON: clientData.toString('base64url'),
      authenticatorData: authData.toString('base64url'),
      signature: sign('sha256', signed, this.#keys.privateKey).toString('base64url'),
      userHandle: null,
    });
  }

  #answer<Response>({ credentialId = this.credentialId }: Twist, response: Response) {
    return { id: credentialId, rawId: credentialId, type: 'public-key', response };
  }

  #flags(): number {
    return PRESENT | VERIFIED | (this.#isSynced ? CAN_SYNC : 0);
  }

  #clientData({ challenge }: Options, type: string, twist: Twist): Buffer {
    const data = {
      type: twist.type ?? type,
      challenge: twist.challenge ?? challenge,
      origin: twist.origin ?? this.#origin,
      crossOrigin: twist.crossOrigin ?? false,
    };
    return Buffer.from(JSON.stringify(data));
  }

  #authenticatorData({ rp, rpId = rp?.id ?? '' }: Options, twist: Twist): Buffer {
    const counter = Buffer.alloc(4);
    counter.writeUInt32BE(twist.counter ?? this.counter);
    const rpIdHash = createHash('sha256')
      .update(twist.rpId ?? rpId)
      .digest();
    return Buffer.concat([rpIdHash, Buffer.from([twist.flags ?? this.#flags()]), counter]);
  }

  #coseKey(): Map<CborKey, Cbor> {
    const { x = '', y = '' } = this.#keys.publicKey.export({ format: 'jwk' });
    return new Map<CborKey, Cbor>([
      [1, 2],
      [3, -7],
      [-1, 1],
      [-2, Buffer.from(x, 'base64url')],
      [-3, Buffer.from(y, 'base64url')],
    ]);
  }
}

type CborKey = string | number;
type Cbor = string | number | Buffer | Cbor[] | Map<CborKey, Cbor>;

/** CBOR, as far as authenticators need it. */
function encode(value: Cbor): Buffer {
  if (typeof value === 'number') return value < 0 ? head(1, -value - 1) : head(0, value);
  if (typeof value === 'string')
    return Buffer.concat([head(3, Buffer.byteLength(value)), Buffer.from(value)]);
  if (Buffer.isBuffer(value)) return Buffer.concat([head(2, value.length), value]);
  if (Array.isArray(value)) return Buffer.concat([head(4, value.length), ...value.map(encode)]);
  const pairs = [...value].flatMap(([key, each]) => [encode(key), encode(each)]);
  return Buffer.concat([head(5, value.size), ...pairs]);
}

function head(type: number, count: number): Buffer {
  if (count < 24) return Buffer.from([(type << 5) | count]);
  if (count < 256) return Buffer.from([(type << 5) | 24, count]);
  return Buffer.from([(type << 5) | 25, count >> 8, count & 0xff]);
}
