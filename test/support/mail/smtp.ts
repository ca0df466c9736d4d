import type { AddressInfo } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** A mail that the server accepted. */
export interface ReceivedMail {
  /** From the envelope. */
  to: string;
  subject: string;
  text: string;
  html: string;
  /** The URLs in the text, in order. */
  links: string[];
  messageId: string;
  /** Whether it came over TLS. */
  isEncrypted: boolean;
  /** What came over the wire. */
  raw: string;
  parsed: Email;
}

/** What the server does with the next mails. */
export type SmtpBehaviour =
  | 'accept'
  /** Refuses recipients for good: 550. */
  | 'refuse'
  /** Refuses recipients for now: 451. */
  | 'fail for now'
  /** Accepts connections and never says anything. */
  | 'hang'
  /** Takes the whole mail and never says that it has. */
  | 'hang after data'
  /** Refuses every login: 535. */
  | 'refuse login';

/** A real mail server, for everything that sends mail. */
export interface TestSmtp {
  /** For `QUIRE_SMTP_URL`. */
  url: string;
  /** Every mail, in the order in which they arrived. */
  mails: ReceivedMail[];
  mailsTo(address: string): ReceivedMail[];
  /** Waits for the next mail to an address that this has not returned before. */
  nextMail(to: string, subject?: RegExp): Promise<ReceivedMail>;
  /** Resolves when another mail has arrived. */
  nextArrival(): Promise<void>;
  /** Waits until this many clients in total have begun to send a mail. */
  untilTried(times: number): Promise<void>;
  behave(behaviour: SmtpBehaviour): void;
  stop(): Promise<void>;
}

export const SMTP_USER = 'quire';
export const SMTP_PASSWORD = 'a password, with % and @';

export async function startSmtp(
  options: Pick<SMTPServerOptions, 'secure' | 'key' | 'cert' | 'hideSTARTTLS'> & {
    port?: number;
    hasLogin?: boolean;
  } = {},
): Promise<TestSmtp> {
  const { port = 0, hasLogin = false, ...rest } = options;
  let behaviour: SmtpBehaviour = 'accept';
  let tries = 0;
  const mails: ReceivedMail[] = [];
  const returned = new Set<ReceivedMail>();
  const listeners = new Set<() => void>();
  const changed = () => {
    for (const listener of [...listeners]) listener();
  };
  /** Resolves when this finds something. */
  const until = <Found>(find: () => Found | undefined) =>
    new Promise<Found>((resolve) => {
      const look = () => {
        const found = find();
        if (found === undefined) return;
        listeners.delete(look);
        resolve(found);
      };
      listeners.add(look);
      look();
    });

  const server = new SMTPServer({
    authOptional: !hasLogin,
    disabledCommands: hasLogin ? [] : ['AUTH'],
    disableReverseLookup: true,
    logger: false,
    ...rest,
    onConnect(_session, done) {
      if (behaviour !== 'hang') return done();
      tries++;
      changed();
    },
    onAuth({ username, password }, _session, done) {
      if (behaviour !== 'refuse login' && username === SMTP_USER && password === SMTP_PASSWORD)
        return done(null, { user: username });
      tries++;
      changed();
      done(Object.assign(new Error('Wrong user or password'), { responseCode: 535 }));
    },
    onRcptTo(_address, _session, done) {
      tries++;
      changed();
      if (behaviour === 'refuse')
        return done(Object.assign(new Error('No such person'), { responseCode: 550 }));
      if (behaviour === 'fail for now')
        return done(Object.assign(new Error('Come back later'), { responseCode: 451 }));
      done();
    },
    onData(stream, session, done) {
      const accept = async () => {
        const chunks: Buffer[] = [];
        for await (const chunk of stream) chunks.push(Buffer.from(chunk));
        const raw = Buffer.concat(chunks).toString();
        const parsed = await PostalMime.parse(raw);
        for (const { address: to } of session.envelope.rcptTo)
          mails.push(toReceived(to, { raw, parsed, isEncrypted: session.secure }));
        if (behaviour !== 'hang after data') done();
        changed();
      };
      void accept();
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', () => resolve()));
  const address = server.server.address() as AddressInfo;
  const login = hasLogin ? `${SMTP_USER}:${encodeURIComponent(SMTP_PASSWORD)}@` : '';
  return {
    url: `${options.secure ? 'smtps' : 'smtp'}://${login}127.0.0.1:${address.port}`,
    mails,
    mailsTo: (to) => mails.filter((mail) => mail.to === to),
    async nextMail(to, subject = /^/) {
      const mail = await until(() =>
        mails.find((each) => each.to === to && subject.test(each.subject) && !returned.has(each)),
      );
      returned.add(mail);
      return mail;
    },
    async nextArrival() {
      const { length } = mails;
      await until(() => (mails.length > length ? true : undefined));
    },
    untilTried: (times) => until(() => (tries >= times ? true : undefined)).then(() => undefined),
    behave(next) {
      behaviour = next;
    },
    stop: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}

function toReceived(to: string, came: Pick<ReceivedMail, 'raw' | 'parsed' | 'isEncrypted'>): ReceivedMail {
  const { parsed } = came;
  const text = parsed.text ?? '';
  return {
    to,
    subject: parsed.subject ?? '',
    text,
    html: parsed.html ?? '',
    links: [...text.matchAll(/https?:\/\/\S+/g)].map(([link]) => link),
    messageId: parsed.messageId ?? '',
    ...came,
  };
}
