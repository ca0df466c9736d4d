import { createHash, generateKeyPairSync, sign } from 'node:crypto';

/** A key and a certificate that nobody vouches for. Who trusts it knows it by its hash. */
export interface OwnCertificate {
  key: string;
  cert: string;
  /** The hash of its public key. */
  fingerprint: string;
}

const DAY_MS = 24 * 3600 * 1000;
const VALID_DAYS = 3650;

const SEQUENCE = 0x30;
const SET = 0x31;
const INTEGER = 0x02;
const BIT_STRING = 0x03;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const VERSION = 0xa0;

/** The algorithm ECDSA with SHA-256, and the attribute "common name". */
const ECDSA_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex');
const COMMON_NAME = Buffer.from('0603550403', 'hex');

/** Makes a self-signed certificate (X.509). It is accepted by its key, so it names no hosts. */
export function makeCertificate(now = Date.now()): OwnCertificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  const name = der(SEQUENCE, der(SET, der(SEQUENCE, COMMON_NAME, der(UTF8_STRING, Buffer.from('Quire')))));
  const content = der(
    SEQUENCE,
    der(VERSION, der(INTEGER, Buffer.from([2]))),
    der(INTEGER, Buffer.from([1])),
    ECDSA_SHA256,
    name,
    der(SEQUENCE, utcTime(now - DAY_MS), utcTime(now + VALID_DAYS * DAY_MS)),
    name,
    spki,
  );
  const signature = sign('sha256', content, privateKey);
  const whole = der(SEQUENCE, content, ECDSA_SHA256, der(BIT_STRING, Buffer.from([0]), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`,
    fingerprint: createHash('sha256').update(spki).digest('base64'),
  };
}

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const body = Buffer.concat(parts);
  const { length } = body;
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

/** `YYMMDDHHMMSSZ` */
function utcTime(time: number): Buffer {
  const digits = new Date(time).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(UTC_TIME, Buffer.from(`${digits}Z`));
}
