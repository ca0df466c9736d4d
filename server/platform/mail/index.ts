/** Deletes all mail to an address. */
export { forgetRecipient } from './forget.ts';
/** Mail that the service sends. */
export { SHARES_PER_DAY } from './limits.ts';
export { Mail, type NewMail } from './mail.ts';
export type { FormExcerpt, FormMessages, MailMessage } from './messages.ts';
/** A mail that could not be sent. */
export { SmtpError } from './smtp.ts';
/** For operators who want to know whether the mail server works. */
export { checkServer, sendTest } from './trial.ts';
/** What the service wrote to a user. */
export { listUserMails } from './user-mails.ts';
