import type { Limit, Limits } from '../../../platform/coordination/limits/index.ts';
import type { Mail, MailMessage } from '../../../platform/mail/index.ts';
import type { LoginMethod, Tx } from '../../../platform/storage/index.ts';
import { findUserById, type KnownUser } from '../model/store.ts';
import { deviceName } from './device-names.ts';
import type { KnownAddresses } from './known-addresses.ts';

/** Notices per user about logins: a program whose address changes with every login must not fill a mailbox. */
const SIGN_IN_NOTICES = { points: 10, seconds: 24 * 3600 };

type Addressee = Pick<KnownUser, 'id' | 'username' | 'email' | 'email_confirmed_at'>;

/** A notice without the parts that all notices have. */
type Notice = WithoutFrame<Extract<MailMessage, { at: number; username: string }>>;
type WithoutFrame<Message> = Message extends MailMessage
  ? Omit<Message, 'username' | 'at' | 'address' | 'link'>
  : never;

/** How and where somebody has logged in. */
interface Login {
  address: string;
  userAgent: string;
  method: LoginMethod;
}

/** Security notices: mail about actions that only the user should have taken, to confirmed addresses only. */
export class SecurityNotices {
  readonly #options: { mail: Mail; addresses: KnownAddresses; baseUrl: string; now: () => number };
  readonly #signIns: Limit;

  constructor(options: {
    mail: Mail;
    addresses: KnownAddresses;
    limits: Limits;
    baseUrl: string;
    now: () => number;
  }) {
    this.#options = options;
    this.#signIns = options.limits.limit(
      'sign-in-notices',
      SIGN_IN_NOTICES,
      'Enough notices. Try again {wait}.',
    );
  }

  async send(tx: Tx, to: Addressee, notice: Notice, address?: string): Promise<void> {
    if (to.email_confirmed_at === null) return;
    const { mail, baseUrl, now } = this.#options;
    const frame = {
      username: to.username,
      at: now(),
      link: `${baseUrl}/account`,
      ...(address && { address }),
    };
    const message = { ...notice, ...frame } as MailMessage;
    await mail.send(tx, { to: to.email, userId: to.id, message });
  }

  /** Sends a notice to the user with this id. */
  async sendTo(tx: Tx, userId: number, notice: Notice, address?: string): Promise<void> {
    const user = await findUserById(tx, userId);
    if (user) await this.send(tx, user, notice, address);
  }

  /** Remembers where a user has logged in, and sends them a notice about a new address. */
  async noteLogin(tx: Tx, user: Addressee, { address, userAgent, method }: Login): Promise<void> {
    const isNewPlace = await this.#options.addresses.remember(tx, user.id, address);
    if (!isNewPlace || user.email_confirmed_at === null) return;
    const isAllowed = await this.#signIns.take(String(user.id)).then(
      () => true,
      () => false,
    );
    if (isAllowed)
      await this.send(tx, user, { kind: 'new sign-in', device: deviceName(userAgent), method }, address);
  }
}
