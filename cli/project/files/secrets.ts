import { fileType, isTextType } from '../../../contract/rules/file-types.ts';
import { readChunks } from './read.ts';
import type { LocalFile } from './scan.ts';

/** A file that people hardly ever mean to publish, and why. */
export interface Doubt {
  path: string;
  why: string;
}

/** Names of files, and what is usually in them. */
const NAMES: Array<[name: RegExp, why: string]> = [
  [
    /\.(?:pem|key|p12|pfx|jks|keystore|kdbx)$|(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)$/i,
    'is a file for private keys',
  ],
  [
    /(?:^|\/)(?:credentials|client_secret[^/]*|service-?account[^/]*|secrets?)\.(?:json|ya?ml|toml)$/i,
    'is a file for credentials',
  ],
  [/\.(?:sqlite3?|db)$/i, 'is a database'],
  [/\.(?:php|py|rb|jsp|aspx?)$/i, 'is code for a server, which does not run here'],
];

/** Texts that open something. Keys that are meant for browsers are not among them. */
const CONTENTS: Array<[text: RegExp, why: string]> = [
  [/-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/, 'contains a private key'],
  [/\bsk_live_[0-9a-zA-Z]{16,}/, 'contains a secret key of Stripe'],
  [/\bsk-(?:ant-|proj-)[\w-]{20,}/, 'contains a key of a language model'],
  [/\bAKIA[0-9A-Z]{16}\b/, 'contains a key of AWS'],
  [/\b(?:ghp|gho|ghs)_[0-9A-Za-z]{36}\b|\bgithub_pat_\w{60,}/, 'contains a token of GitHub'],
  [/\bxox[abpr]-[\w-]{20,}/, 'contains a token of Slack'],
];
const LISTENS = /\.listen\s*\(|createServer\s*\(/;

/** Larger files are hardly written by people. */
const MAX_READ_BYTES = 1024 * 1024;

/** The files that look like secrets or like a server. */
export async function findDoubts(files: LocalFile[]): Promise<Doubt[]> {
  const doubts: Doubt[] = [];
  for (const { path, file, size } of files) {
    const why = NAMES.find(([name]) => name.test(path))?.[1] ?? (await readDoubt(path, file, size));
    if (why !== undefined) doubts.push({ path, why });
  }
  return doubts;
}

async function readDoubt(path: string, file: string, size: number): Promise<string | undefined> {
  const type = fileType(path);
  // Files of an unknown type may be settings.
  if (size > MAX_READ_BYTES || !(isTextType(type) || type === 'application/octet-stream')) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const chunk of readChunks(file)) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString();
  if (/^(?:server|app)\.[cm]?[jt]s$/.test(path) && LISTENS.test(text))
    return 'is a server, which does not run here: move what it does to a function (quire help functions push)';
  return findSecret(text);
}

/** What a text contains that opens something. */
export const findSecret = (text: string) => CONTENTS.find(([each]) => each.test(text))?.[1];
