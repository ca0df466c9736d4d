import { createLog } from '../../../server/platform/http/index.ts';
import { Mail, type MailMessage, type NewMail } from '../../../server/platform/mail/index.ts';
import { type Db, startStorage } from '../../../server/platform/storage/index.ts';
import { type TestApp, testApp } from '../app.ts';
import { type ReceivedMail, startSmtp, type TestSmtp } from './smtp.ts';

/** A queue of mail without the rest of the service, on the engine of this test run. */
export interface TestQueue {
  app: TestApp;
  smtp: TestSmtp;
  db: Db;
  logs: string[];
  /** Another node: it shares the database, and sends once it is started. */
  node(options?: { from?: string; smtpUrl?: string }): Promise<Mail>;
  send<Message extends MailMessage>(mail: Mail, letter: NewMail<Message>): Promise<boolean>;
  advance(milliseconds: number): void;
  now(): number;
  /** Everything that is sent, until this many have arrived. */
  untilReceived(count: number): Promise<ReceivedMail[]>;
  stop(): Promise<void>;
}

export async function startQueue(): Promise<TestQueue> {
  const app = await testApp();
  const smtp = await startSmtp();
  const stops: Array<() => Promise<void>> = [];
  const logs: string[] = [];
  const log = createLog('debug', { write: (line: string) => void logs.push(line) });
  let offset = 0;
  const now = () => Date.now() + offset;
  const open = async () => {
    const storage = await startStorage({ ...app, migrateTo: 'as they are' });
    stops.push(() => storage.stop());
    return storage.db;
  };
  const db = await open();
  return {
    app,
    smtp,
    db,
    logs,
    async node({ from = 'Quire <quire@example.com>', smtpUrl = smtp.url } = {}) {
      const mail = new Mail({ mail: { smtpUrl, from }, baseUrl: app.baseUrl, db: await open(), log, now });
      stops.unshift(() => mail.stop());
      return mail;
    },
    send: (mail, letter) => db.transaction().execute((tx) => mail.send(tx, letter)),
    advance(milliseconds) {
      offset += milliseconds;
    },
    now,
    async untilReceived(count) {
      while (smtp.mails.length < count) await smtp.nextArrival();
      return smtp.mails;
    },
    async stop() {
      for (const stop of stops) await stop();
      await smtp.stop();
      await app.stop();
    },
  };
}
