import type { ReportReason } from '../../../contract/reports/limits.ts';
import { REASON_WORDS } from '../../../contract/reports/words.ts';
import type { MailMessage } from '../../platform/mail/index.ts';
import type { PageRow, Tx } from '../../platform/storage/index.ts';
import type { ReportsContext } from './context.ts';

/** How often mail about the reports of one page is sent at most. It says how many there were. */
const EVERY_MS = 3600 * 1000;

type Notice = Extract<MailMessage, { kind: 'page reported' | 'your page reported' }>;

/** Tells administrators and the owner of a page about a report. What the reporter wrote is not in the mail. */
export async function sendNotices(
  { mail, baseUrl, findConfirmedEmail, listAdministrators }: ReportsContext,
  tx: Tx,
  page: Pick<PageRow, 'id' | 'name' | 'slug' | 'owner_id'>,
  reason: ReportReason,
): Promise<void> {
  if (!mail.isConfigured) return;
  const about = { pageName: page.name, about: REASON_WORDS[reason].text, count: 1 };
  const send = (person: { id: number; email: string }, message: Notice) =>
    mail.send(tx, {
      to: person.email,
      userId: person.id,
      message,
      bundle: {
        key: `${message.kind} ${page.id} ${person.id}`,
        everyMs: EVERY_MS,
        merge: (waiting) => ({ ...waiting, count: waiting.count + 1 }),
      },
    });
  for (const administrator of await listAdministrators(tx))
    await send(administrator, { kind: 'page reported', ...about, link: `${baseUrl}/admin/reports` });
  const email = await findConfirmedEmail(tx, page.owner_id);
  if (email === undefined) return;
  const link = `${baseUrl}/pages/${page.id}/reports`;
  await send({ id: page.owner_id, email }, { kind: 'your page reported', ...about, link });
}
