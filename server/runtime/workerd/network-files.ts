import { chmodSync, copyFileSync, existsSync, mkdirSync, rmSync, unwatchFile, watchFile } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Box } from './box/sandbox.ts';
import type { Runtime } from './runtime.ts';

/** The files that a box with network access needs to resolve names and verify certificates. */
export interface NetworkFiles {
  readOnly: Box['readOnly'];
  stop(): void;
}

/** Files for name resolution. They can change while the server runs, for example with the network. */
const NAMES = ['resolv.conf', 'hosts', 'nsswitch.conf', 'host.conf', 'gai.conf'];
const LOOK_EVERY_MS = 5_000;
/** Where distributions store CA certificates. Some of these paths are links to each other. */
const CERTIFICATES = [
  ...['/etc/ssl', '/etc/pki', '/etc/ca-certificates'],
  ...['/usr/lib/ssl', '/usr/share/ca-certificates', '/usr/local/share/ca-certificates'],
];
/** The files that have all CA certificates, in the order in which workerd looks for them. */
const CERTIFICATE_FILES = [
  ...['/etc/ssl/certs/ca-certificates.crt', '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem'],
  ...['/etc/ssl/ca-bundle.pem', '/etc/pki/tls/cacert.pem', '/etc/ssl/cert.pem'],
  ...['/etc/pki/tls/certs/ca-bundle.crt', '/etc/ssl/certs/cacert.pem'],
];
/** Libraries that older versions of the C library load to resolve a name. */
const LOOKUP_LIBRARIES = ['libnss_files.so.2', 'libnss_dns.so.2', 'libresolv.so.2'];

/** Provides a copy of a few files as `/etc`, and keeps it in sync with the machine's own. */
export function createNetworkFiles(runtime: Runtime): NetworkFiles {
  const folder = join(runtime.folder, 'etc');
  makeReadable(folder);
  const copies = NAMES.map((name) => {
    const from = join('/etc', name);
    const copy = () => copyIfThere(from, join(folder, name));
    copy();
    watchFile(from, { interval: LOOK_EVERY_MS, persistent: false }, copy);
    return { from, copy };
  });
  const shown = CERTIFICATES.filter((path) => existsSync(path));
  // A box cannot create mount points in a read-only folder.
  for (const path of shown.filter((one) => one.startsWith('/etc/')))
    makeReadable(join(folder, path.slice('/etc/'.length)));
  const { libraries } = runtime.sandbox;
  const nextTo = dirname(libraries.find((path) => path.includes('/libc.so')) ?? '/lib/libc.so.6');
  const lookups = LOOKUP_LIBRARIES.map((name) => join(nextTo, name)).filter(
    (path) => existsSync(path) && !libraries.includes(path),
  );
  return {
    readOnly: [[folder, '/etc'], ...[...shown, ...lookups].map((path): [string, string] => [path, path])],
    stop() {
      for (const { from, copy } of copies) unwatchFile(from, copy);
    },
  };
}

/** True if the machine has CA certificates. A minimal Debian has none, and workerd does not start if it needs them. */
export function hasCertificates(): boolean {
  return CERTIFICATE_FILES.some((path) => existsSync(path));
}

/** Sets the mode explicitly, because the server's umask may be stricter. */
function makeReadable(folder: string): void {
  mkdirSync(folder);
  chmodSync(folder, 0o755);
}

function copyIfThere(from: string, to: string): void {
  try {
    copyFileSync(from, to);
    chmodSync(to, 0o644);
  } catch {
    rmSync(to, { force: true });
  }
}
