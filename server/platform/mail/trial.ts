import { email } from '../../../contract/accounts/accounts.ts';
import { renderMail } from './layout.ts';
import {
  checkSession,
  connectionOptions,
  parseSender,
  SmtpError,
  type SmtpSettings,
  sendLetter,
} from './smtp.ts';
import { wordsFor } from './texts/texts.ts';

/** For operators who want to know whether the mail server works. Nothing here uses the queue. */

/** Connects and logs in, but sends nothing. */
export async function checkServer(
  settings: SmtpSettings,
): Promise<{ server: string; isEncrypted: boolean; hasLogin: boolean }> {
  const { host, port } = connectionOptions(settings.smtpUrl);
  return { server: `${host}:${port}`, ...(await checkSession(settings)) };
}

/** Sends a test at once. Fails with an SmtpError. */
export async function sendTest(
  settings: SmtpSettings,
  { to, baseUrl }: { to: string; baseUrl: string },
): Promise<void> {
  const address = email.safeParse(to);
  if (!address.success) throw new SmtpError(`${to} is not an e-mail address.`, 'refused');
  const [, host] = parseSender(settings.from).address.split('@');
  const messageId = `<quire-test-${Bun.randomUUIDv7()}@${host}>`;
  const letter = { ...renderMail(wordsFor({ kind: 'test' }), { baseUrl }), to: address.data, messageId };
  await sendLetter(settings, letter, new AbortController().signal);
}
