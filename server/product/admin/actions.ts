import { type AuditEntry, recordAudit } from '../../platform/audit/index.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { Mail, MailMessage } from '../../platform/mail/index.ts';
import type { Tx } from '../../platform/storage/index.ts';

/** The administrator who does something, and their IP address. */
export interface AuditActor {
  actor: Actor;
  address: string;
}

type RecordedAction = Pick<AuditEntry, 'action' | 'target' | 'ownerId' | 'details'>;

/** Writes an action of an administrator to the audit log, in the transaction of the action. */
export async function record(
  { now }: { now: () => number },
  tx: Tx,
  { actor, address }: AuditActor,
  action: RecordedAction,
): Promise<void> {
  const { userId, username } = actor;
  await recordAudit(tx, { ...action, actor: { userId, username }, address, now: now() });
}

/** The fields of an entry about a user. The user sees the entry. */
export const aboutUser = ({ id, username }: { id: number; username: string }) => ({
  target: { kind: 'user', id, name: username },
  ownerId: id,
});

/** Sends mail to a user whose address is confirmed. */
export async function notify(
  { mail }: { mail: Pick<Mail, 'send'> },
  tx: Tx,
  user: { id: number; email: string; email_confirmed_at: number | null } | undefined,
  message: MailMessage,
): Promise<void> {
  if (!user || user.email_confirmed_at === null) return;
  await mail.send(tx, { to: user.email, message, userId: user.id });
}
