import { pageAddress } from '../../../../contract/pages/pages.ts';
import type { Actor } from '../../../platform/http/index.ts';
import type { Mail } from '../../../platform/mail/index.ts';
import type { PageRow, Tx } from '../../../platform/storage/index.ts';

export interface InvitationContext {
  baseUrl: string;
  mail: Pick<Mail, 'isConfigured' | 'send' | 'sharesLeft'>;
}

/** Sends the link of a page to people who are new on its list by e-mail address. Nobody can open a draft yet. */
export async function mailLink(
  { baseUrl, mail }: InvitationContext,
  tx: Tx,
  page: Pick<PageRow, 'owner_id' | 'name' | 'slug' | 'domain' | 'is_published'>,
  { added, sharedBy }: { added: string[]; sharedBy: Pick<Actor, 'username'> },
): Promise<void> {
  const addresses = added.filter((name) => name.includes('@'));
  if (addresses.length === 0 || page.is_published === 0 || !mail.isConfigured) return;
  const message = {
    kind: 'page shared',
    sharedBy: sharedBy.username,
    pageName: page.name,
    link: pageAddress(baseUrl, page),
  } as const;
  // The mail counts towards the owner's limit, no matter who adds the people: otherwise a team could send more.
  const left = await mail.sharesLeft(tx, page.owner_id);
  // Send in one order, so that two requests at once do not wait for each other.
  for (const to of addresses.slice(0, left).sort())
    await mail.send(tx, { to, message, userId: page.owner_id });
}
