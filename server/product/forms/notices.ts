import type { FormExcerpt } from '../../platform/mail/index.ts';
import type { PageRow, Tx } from '../../platform/storage/index.ts';
import type { FormsContext } from './context.ts';
import { type Fields, parseFields } from './fields.ts';
import { hasNotices } from './store.ts';

/** How often the owner of a page gets mail at most. The mail says how many messages came. */
const EVERY_MS = 10 * 60 * 1000;
/** How much of the messages a mail shows. The rest is in the dashboard. */
const SHOWN = { messages: 3, fields: 8, letters: 1_000 };

/**
 * Sends the owner mail about a message, unless they have turned that off. A branch only keeps it. Call this while the page
 * is locked.
 */
export async function notifyOwner(
  {
    mail,
    findConfirmedEmail,
    keepMail,
    baseUrl,
  }: Pick<FormsContext, 'mail' | 'findConfirmedEmail' | 'keepMail' | 'baseUrl'>,
  tx: Tx,
  page: Pick<PageRow, 'id' | 'name' | 'owner_id' | 'branch_of'>,
  sent: { form: string; fields: string; files: number },
): Promise<void> {
  const isBranch = page.branch_of !== null;
  if ((!mail.isConfigured && !isBranch) || !(await hasNotices(tx, page.id))) return;
  const to = await findConfirmedEmail(tx, page.owner_id);
  const excerpt = { form: sent.form, fields: shorten(parseFields(sent)), files: sent.files };
  const about = {
    kind: 'form messages',
    pageName: page.name,
    link: `${baseUrl}/pages/${page.id}/forms`,
  } as const;
  const message = { ...about, count: 1, messages: [excerpt] };
  if (isBranch) return keepMail(tx, page.id, { to: to ?? [], ...mail.write(message) });
  if (to === undefined) return;
  await mail.send(tx, {
    to,
    userId: page.owner_id,
    message,
    bundle: {
      key: `forms of page ${page.id}`,
      everyMs: EVERY_MS,
      merge: ({ count, messages }) => ({
        ...about,
        count: count + 1,
        messages: [...messages, excerpt].slice(0, SHOWN.messages),
      }),
    },
  });
}

function shorten(fields: Fields): FormExcerpt['fields'] {
  return Object.entries(fields)
    .slice(0, SHOWN.fields)
    .map(([name, value]) => [name, [value].flat().join(', ').slice(0, SHOWN.letters)]);
}
