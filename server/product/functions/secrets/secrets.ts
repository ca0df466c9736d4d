import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

/**
 * Seals secrets for storage: AES-256-GCM, with a key derived from the service's own for this purpose only.
 */
export interface Sealer {
  /** `context` identifies the owner of the secret; it cannot be opened with another. */
  seal(value: string, context: string): string;
  open(sealed: string, context: string): string;
}

/** The context of a sealed value. */
export function secretContext(functionId: number, name: string): string {
  return `function ${functionId} ${name}`;
}

const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export function createSealer(serviceKey: Buffer): Sealer {
  const key = Buffer.from(hkdfSync('sha256', serviceKey, '', 'quire function secrets', 32));
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
