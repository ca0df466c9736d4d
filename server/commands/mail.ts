import type { Call } from '../../cli/command.ts';
import { CommandError, EXIT } from '../../cli/usage.ts';
import { readConfig } from '../platform/config/index.ts';
import { SmtpError, sendTest } from '../platform/mail/index.ts';

/** `quire mail test`: sends a mail at once, and shows what the mail server answers. */
export async function testMail(call: Call): Promise<void> {
  const [to = ''] = call.args;
  const { mail, baseUrl } = readConfig(call.environment);
  if (!mail)
    throw new CommandError(
      'This server does not send mail. Set QUIRE_SMTP_URL to your mail server.',
      EXIT.failed,
    );
  try {
    await sendTest(mail, { to, baseUrl });
  } catch (error) {
    if (!(error instanceof SmtpError)) throw error;
    throw new CommandError(`The mail was not sent: ${error.message}`, EXIT.failed);
  }
  call.out.done({ to, from: mail.from }, `The mail server accepted the mail from ${mail.from} to ${to}.`);
}
