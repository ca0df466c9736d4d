import { open } from 'node:fs/promises';
import { connect as connectPlain, type Socket } from 'node:net';
import { hostname } from 'node:os';
import { connect as connectTls } from 'node:tls';

const WRITE_TIMEOUT_MS = 10_000;
/** Facility 13, log audit; severity 6, information: https://www.rfc-editor.org/rfc/rfc5424#section-6.2.1 */
const PRIORITY = 13 * 8 + 6;

/** Where the audit log is written: a file, or a syslog server. */
export type AuditTarget = { text: string } & (
  | { kind: 'file'; path: string }
  | { kind: 'syslog'; host: string; port: number; isTls: boolean }
);

/** How lines are written to a target. It fails unless all of them are. */
export function openTarget(target: AuditTarget): (lines: string[]) => Promise<void> {
  return target.kind === 'file'
    ? (lines) => append(target.path, lines)
    : (lines) => sendSyslog(target, lines);
}

/** Opens the file each time, so that it can be renamed by whatever rotates it. */
async function append(path: string, lines: string[]): Promise<void> {
  const file = await open(path, 'a', 0o600);
  try {
    await file.appendFile(lines.map((line) => `${line}\n`).join(''));
    await file.datasync();
  } finally {
    await file.close();
  }
}

interface SyslogServer {
  host: string;
  port: number;
  isTls: boolean;
}

/** Sends messages with their lengths in front, over a connection of their own: https://www.rfc-editor.org/rfc/rfc6587 */
function sendSyslog({ host, port, isTls }: SyslogServer, lines: string[]): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket: Socket = isTls ? connectTls({ host, port, servername: host }) : connectPlain({ host, port });
  const timer = setTimeout(
    () => socket.destroy(new Error('The syslog server does not respond.')),
    WRITE_TIMEOUT_MS,
  );
  socket.once('error', reject);
  // Closed without an error: everything was sent, and the other side has acknowledged it.
  socket.once('close', (hadError) => {
    clearTimeout(timer);
    if (!hadError) resolve();
  });
  socket.resume();
  socket.end(lines.map(toMessage).join(''));
  return promise;
}

function toMessage(line: string): string {
  const { at } = JSON.parse(line) as { at: string };
  const message = `<${PRIORITY}>1 ${at} ${hostname()} quire - audit - ${line}`;
  return `${Buffer.byteLength(message)} ${message}`;
}
