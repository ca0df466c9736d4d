import { phrase, type Text } from '../texts/fill.ts';

/** Files that people hardly ever mean to publish. */

/** Names of files, and what is usually in them. */
const NAMES: Array<[name: RegExp, why: Text]> = [
  [
    /\.(?:pem|key|p12|pfx|jks|keystore|kdbx)$|(?:^|\/)id_(?:rsa|dsa|ecdsa|ed25519)$/i,
    phrase('is a file for private keys'),
  ],
  [
    /(?:^|\/)(?:credentials|client_secret[^/]*|service-?account[^/]*|secrets?)\.(?:json|ya?ml|toml)$/i,
    phrase('is a file for credentials'),
  ],
  [/\.(?:sqlite3?|db)$/i, phrase('is a database')],
  [/\.(?:php|py|rb|jsp|aspx?)$/i, phrase('is code for a server, which does not run here')],
];

/** How secrets are written. Keys that are meant for browsers are not among them. */
const CONTENTS: Array<[text: RegExp, why: Text]> = [
  [/-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/, phrase('contains a private key')],
  [/\bsk_live_[0-9a-zA-Z]{16,}/, phrase('contains a secret key of Stripe')],
  [/\bsk-(?:ant-|proj-)[\w-]{20,}/, phrase('contains a key of a language model')],
  [/\bAKIA[0-9A-Z]{16}\b/, phrase('contains a key of AWS')],
  [/\b(?:ghp|gho|ghs)_[0-9A-Za-z]{36}\b|\bgithub_pat_\w{60,}/, phrase('contains a token of GitHub')],
  [/\bxox[abpr]-[\w-]{20,}/, phrase('contains a token of Slack')],
];
const LISTENS = /\.listen\s*\(|createServer\s*\(/;

/** Larger files are not searched for secrets: people hardly ever write them by hand. */
export const MAX_DOUBT_BYTES = 1024 * 1024;

/** Why the name of a file says that it is not for everyone. */
export const doubtName = (path: string): Text | undefined => NAMES.find(([name]) => name.test(path))?.[1];

/** Why the text of a file says that it is not for everyone. */
export function doubtText(path: string, text: string): Text | undefined {
  if (/^(?:server|app)\.[cm]?[jt]s$/.test(path) && LISTENS.test(text))
    return phrase(
      'is a server, which does not run here: move what it does to a function (quire help functions push)',
    );
  return findSecret(text);
}

/** Which secret a text contains; undefined if it has none. */
export const findSecret = (text: string): Text | undefined => CONTENTS.find(([each]) => each.test(text))?.[1];

/** Why the name of a file says that it is never sent: another program, an editor or quire itself has made it. */
export function findExclusion(path: string): 'starts with a dot' | 'packages' | 'backup' | undefined {
  if (path === '.well-known') return undefined;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name.startsWith('.')) return 'starts with a dot';
  if (name === 'node_modules') return 'packages';
  return /~$|^#.*#$|\.[0-9a-f]{16}\.new$/.test(name) ? 'backup' : undefined;
}
