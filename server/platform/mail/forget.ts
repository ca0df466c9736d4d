import type { Tx } from '../storage/index.ts';
import { toMailbox } from './store.ts';

/** Deletes all mail to an address, also what is not sent yet. */
export async function forgetRecipient(tx: Tx, address: string): Promise<void> {
  const ofMailbox = tx.deleteFrom('mails').where('mailbox', '=', toMailbox(address));
  await ofMailbox.where('recipient', '=', address).execute();
}
