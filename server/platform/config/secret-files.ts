import { readFileSync } from 'node:fs';

type Environment = Record<string, string | undefined>;

/** The settings that can be in a file of their own, which `NAME_FILE` names. */
export const SECRET_NAMES = [
  'QUIRE_SECRET',
  'QUIRE_SECRET_OLD',
  'DATABASE_URL',
  'REDIS_URL',
  'S3_ACCESS_KEY_ID',
  'S3_SECRET_ACCESS_KEY',
  'QUIRE_SMTP_URL',
  'QUIRE_OIDC_CLIENT_SECRET',
  'QUIRE_AI_KEY',
  'QUIRE_IMAGE_KEY',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const;

export const SECRET_FILE_NAMES: readonly string[] = SECRET_NAMES.map(fileNameFor);

/** No secret is this long; a larger file is something else. */
const MAX_BYTES = 65_536;

/** Puts the contents of secret files into the environment. `faults` says what is wrong, by the name of the secret. */
export function readSecretFiles(environment: Environment) {
  const faults = new Map<string, string>();
  const read = { ...environment };
  for (const name of SECRET_NAMES) {
    const path = environment[fileNameFor(name)];
    if (!path) continue;
    const result = environment[name] ? { fault: `cannot be set together with ${name}` } : readSecret(path);
    if ('fault' in result) faults.set(name, `${fileNameFor(name)}: ${result.fault}`);
    else read[name] = result.secret;
  }
  return { environment: read, faults };
}

/** The secret files that a server with this environment reads. */
export function secretFiles(environment: Environment): string[] {
  return SECRET_FILE_NAMES.map((name) => environment[name] ?? '').filter(Boolean);
}

function fileNameFor(name: string): string {
  return `${name}_FILE`;
}

/** Editors and `echo` end a file with a line break, which is not part of the secret. Messages have no text of the file. */
function readSecret(path: string): { secret: string } | { fault: string } {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_BYTES) return { fault: `must name a file of at most ${MAX_BYTES} bytes` };
    const secret = new TextDecoder('utf-8', { fatal: true }).decode(bytes).replace(/\r?\n$/, '');
    if (secret === '') return { fault: `${path} is empty` };
    if (/[\r\n\0]/.test(secret)) return { fault: `${path} must contain the secret alone, in one line` };
    return { secret };
  } catch (error) {
    if (error instanceof TypeError) return { fault: `${path} is not a text file in UTF-8` };
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { fault: `${path} does not exist` };
    if (code === 'EACCES') return { fault: `the server cannot read ${path}` };
    return { fault: `${path} cannot be read: ${(error as Error).message}` };
  }
}
