import { isIP } from 'node:net';
import type SMTPConnection from 'nodemailer/lib/smtp-connection';
import { blockMatcher } from '../../lib/addresses.ts';
import { displayName } from '../../lib/display-name.ts';
import { isPublicName } from '../../lib/host-names.ts';

/** A mail for one person. */
export interface Letter {
  to: string;
  messageId: string;
  subject: string;
  text: string;
  html: string;
}

export interface SmtpSettings {
  smtpUrl: string;
  /** `quire@example.com` or `Quire <quire@example.com>`. */
  from: string;
}

/** A mail that was not sent, or a mail server that cannot be used. */
export class SmtpError extends Error {
  constructor(
    message: string,
    /** Whether the server refused the mail permanently or temporarily, or cannot be used at all. */
    readonly kind: 'refused' | 'try later' | 'server',
  ) {
    super(message);
  }
}

/** The time for a whole session, so that a server that sends a byte now and then holds nothing up either. */
const WHOLE_MS = 60_000;
const CONNECT_MS = 10_000;
const SILENCE_MS = 30_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const MAX_REASON = 200;

const isOwnNetwork = blockMatcher([
  ...['127.0.0.0/8', '10.0.0.0/8', '172.16.0.0/12', '192.168.0.0/16', '169.254.0.0/16', '100.64.0.0/10'],
  ...['::1/128', 'fc00::/7', 'fe80::/10'],
]);

/** Where to connect to, and how: see `docs/mail.md`. */
export function connectionOptions(smtpUrl: string): SMTPConnection.Options & { host: string; port: number } {
  const url = new URL(smtpUrl);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const secure = url.protocol === 'smtps:';
  const isOwn = isIP(host) === 0 ? !isPublicName(host) : isOwnNetwork(host);
  return {
    host,
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    // Passwords and secret links must not cross the internet in the clear, even if somebody removes the offer of TLS.
    requireTLS: !secure && !isOwn,
    // The mail server of a machine or a private network usually has a certificate that nobody has signed.
    tls: { rejectUnauthorized: !isOwn, minVersion: 'TLSv1.2' },
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    maxResponseSize: MAX_RESPONSE_BYTES,
    allowInternalNetworkInterfaces: true,
  };
}

/** Sends a letter. Fails with an SmtpError. */
export async function sendLetter(settings: SmtpSettings, letter: Letter, signal: AbortSignal): Promise<void> {
  const from = parseSender(settings.from);
  const raw = await compose(from, letter);
  await session(settings, signal, async (connection) => {
    const envelope = { from: from.address, to: [letter.to] };
    await new Promise<void>((resolve, reject) =>
      connection.send(envelope, raw, (error) => (error ? reject(error) : resolve())),
    );
  });
}

/** Connects and logs in, but sends nothing. Fails with an SmtpError. */
export async function checkSession(
  settings: SmtpSettings,
): Promise<{ isEncrypted: boolean; hasLogin: boolean }> {
  let isEncrypted = false;
  await session(settings, new AbortController().signal, async (connection) => {
    isEncrypted = connection.secure;
  });
  return { isEncrypted, hasLogin: new URL(settings.smtpUrl).username !== '' };
}

async function session(
  settings: SmtpSettings,
  signal: AbortSignal,
  work: (connection: SMTPConnection) => Promise<void>,
): Promise<void> {
  // Loaded only now: most servers send few mails, and some none.
  const { default: Connection } = await import('nodemailer/lib/smtp-connection');
  const { username, password } = new URL(settings.smtpUrl);
  const connection = new Connection(connectionOptions(settings.smtpUrl));
  const ended = Promise.withResolvers<never>();
  connection.on('error', ended.reject);
  connection.on('end', () => ended.reject(new Error('The mail server closed the connection.')));
  const late = AbortSignal.any([signal, AbortSignal.timeout(WHOLE_MS)]);
  const giveUp = () =>
    ended.reject(new Error(signal.aborted ? 'stopped' : 'The mail server takes too long.'));
  late.addEventListener('abort', giveUp);
  const talk = async () => {
    await new Promise<void>((resolve, reject) =>
      connection.connect((error) => (error ? reject(error) : resolve())),
    );
    if (username)
      await new Promise<void>((resolve, reject) =>
        connection.login(
          { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
          (error) => (error ? reject(error) : resolve()),
        ),
      );
    await work(connection);
    connection.quit();
  };
  try {
    late.throwIfAborted();
    await Promise.race([talk(), ended.promise]);
  } catch (error) {
    connection.close();
    throw toSmtpError(error);
  } finally {
    late.removeEventListener('abort', giveUp);
    ended.promise.catch(() => undefined);
  }
}

/** Composes a mail. Addresses are structured and have been checked: nothing in them is parsed again. */
async function compose(from: { name: string; address: string }, letter: Letter): Promise<Buffer> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer');
  const composed = new MailComposer({
    from,
    to: { name: '', address: letter.to },
    subject: letter.subject,
    messageId: letter.messageId,
    text: letter.text,
    html: letter.html,
    headers: { 'Auto-Submitted': 'auto-generated', 'X-Auto-Response-Suppress': 'All' },
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return composed.compile().build();
}

/** The name and the address of the sender. */
export function parseSender(from: string): { name: string; address: string } {
  const [, name = '', address = from] = /^(.*?)\s*<([^<>]+)>$/.exec(from.trim()) ?? [];
  return { name: displayName(name.replace(/^"(.*)"$/, '$1'), 100), address };
}

function toSmtpError(error: unknown): SmtpError {
  const { message, code, command, permanent, response } = error as Error & {
    code?: string;
    command?: string;
    permanent?: boolean;
    response?: string;
  };
  const reason = displayName((response ?? message).slice(0, 4 * MAX_REASON), MAX_REASON);
  // A server that refuses the sender or the login refuses everyone's mail, until the operator corrects it.
  if ((code !== 'EENVELOPE' && code !== 'EMESSAGE') || command === 'MAIL FROM')
    return new SmtpError(reason, 'server');
  return new SmtpError(reason, permanent ? 'refused' : 'try later');
}
