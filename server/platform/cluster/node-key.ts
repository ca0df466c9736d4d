import { X509Certificate } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeCertificate } from '../../lib/certificate.ts';
import { NodeError } from '../storage/index.ts';

/** What a node proves to others who it is. */
export interface NodeKey {
  key: string;
  cert: string;
  /** The SHA-256 of the certificate, as TLS reports it. */
  fingerprint: string;
}

const NAME = 'node-key.pem';

/** The key of this node. Made once; without the file, the node gets another one when it starts. */
export function readNodeKey(dataFolder: string): NodeKey {
  const path = join(dataFolder, NAME);
  if (!existsSync(path)) {
    const { key, cert } = makeCertificate();
    writeFileSync(`${path}.new`, key + cert, { mode: 0o600, flush: true });
    renameSync(`${path}.new`, path);
  }
  const text = readFileSync(path, 'utf8');
  const take = (kind: string) =>
    new RegExp(`-----BEGIN ${kind}-----.+?-----END ${kind}-----\n`, 's').exec(text);
  const [key, cert] = [take('PRIVATE KEY')?.[0], take('CERTIFICATE')?.[0]];
  if (!key || !cert)
    throw new NodeError(`${path} is damaged. Remove it: the node makes another key when it starts.`);
  return { key, cert, fingerprint: new X509Certificate(cert).fingerprint256 };
}
