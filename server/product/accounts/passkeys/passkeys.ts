import type {
  CredentialOptions,
  CredentialProof,
  NewPasskey,
} from '../../../../contract/accounts/passkeys.ts';
import { MAX_PASSKEYS } from '../../../../contract/rules/limits.ts';
import { limitKey } from '../../../lib/addresses.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import type { ServiceKey } from '../../../lib/secrets.ts';
import type { Limit, Limits } from '../../../platform/coordination/limits/index.ts';
import type { Actor, CookieJar } from '../../../platform/http/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import { deviceName } from '../logins/device-names.ts';
import type { SecurityNotices } from '../logins/notices.ts';
import { assertWayIn } from '../model/login-methods.ts';
import {
  countPasskeys,
  deletePasskey,
  findPasskey,
  insertPasskey,
  listPasskeys,
  type PasskeyRow,
  usePasskey,
} from '../model/passkey-store.ts';
import { assertSessionStands } from '../model/session-store.ts';
import { lockUser } from '../model/store.ts';
import { creationOptions, readCreation, readProof, requestOptions } from './ceremonies.ts';
import { Challenges, type Purpose } from './challenges.ts';
import { nameOfPasskey } from './names.ts';
import type { SecondFactor } from './second-factor.ts';

/** New passkeys per user. More would only fill a mailbox with notices. */
const NEW_PASSKEYS = { points: 50, seconds: 3600 };
const FAILURE_SECONDS = 15 * 60;

interface PasskeysOptions {
  db: Db;
  key: ServiceKey;
  cookies: CookieJar;
  limits: Limits;
  now: () => number;
  baseUrl: string;
  notices: SecurityNotices;
  secondFactor: SecondFactor;
  /** The provider of single sign-on, in the spelling that is stored. */
  issuer: string | undefined;
  /** Failed logins per IP address in 15 minutes. */
  failuresPerAddress: number;
}

/** Options for a browser, and the cookie that goes with them. */
interface CeremonyOptions {
  options: CredentialOptions;
  cookie: string;
}

/** The passkeys of users. */
export class Passkeys {
  readonly #options: PasskeysOptions;
  readonly #challenges: Challenges;
  readonly #additions: Limit;
  readonly #failures: Limit;

  constructor(options: PasskeysOptions) {
    const { limits, failuresPerAddress } = options;
    this.#options = options;
    this.#challenges = new Challenges(options);
    this.#additions = limits.limit(
      'new-passkeys',
      NEW_PASSKEYS,
      'You have added many passkeys. Try again {wait}.',
    );
    this.#failures = limits.limit(
      'passkey-address',
      { points: failuresPerAddress, seconds: FAILURE_SECONDS },
      'Too many failed attempts from your address. Try again {wait}.',
    );
  }

  /** Starts to add a passkey. The caller has made sure that the person is the user. */
  async startAdding(actor: Actor, request: Request): Promise<CeremonyOptions> {
    const known = await listPasskeys(this.#options.db, actor.userId);
    assertOneMore(known.length);
    const { challenge, cookie } = this.#challenges.make(request, { purpose: 'add', user: actor.userId });
    return { options: creationOptions(this.#options, actor, known, challenge), cookie };
  }

  async add(
    actor: Actor,
    { credential, name }: NewPasskey,
    { request, address }: { request: Request; address: string },
  ): Promise<PasskeyRow> {
    const { db, now, notices } = this.#options;
    const { userId } = actor;
    await this.#additions.take(String(userId));
    const { challenge } = await this.#redeem(
      request,
      credential,
      ({ purpose, user }) => purpose === 'add' && user === userId,
    );
    const created = await readCreation(this.#options, { ...credential, challenge });
    if (!created)
      throw new AppError('BAD_REQUEST', 'This passkey was not accepted. Try again, or use another device.');
    return db.transaction().execute(async (tx) => {
      await lockUser(tx, userId);
      await assertSessionStands(tx, actor, now());
      assertOneMore(await countPasskeys(tx, userId));
      const chosen =
        name?.trim() ?? nameOfPasskey(created.aaguid, deviceName(request.headers.get('user-agent') ?? ''));
      const row = await insertPasskey(tx, { ...created, userId, name: chosen, now: now() });
      if (!row) throw new AppError('CONFLICT', 'This passkey already belongs to an account.');
      await notices.sendTo(tx, userId, { kind: 'passkey added', passkeyName: row.name }, address);
      return row;
    });
  }

  /** Removes a passkey. Removing the last one turns off the second factor, if it was on. */
  remove(userId: number, id: number, address: string): Promise<{ name: string; hasTurnedOff: boolean }> {
    const { db, notices, secondFactor } = this.#options;
    return db.transaction().execute(async (tx) => {
      await lockUser(tx, userId);
      const removed = await deletePasskey(tx, userId, id);
      if (!removed) throw notFound('This passkey was not found.');
      await assertWayIn(tx, userId, this.#options.issuer);
      const { name } = removed;
      await notices.sendTo(tx, userId, { kind: 'passkey removed', passkeyName: name }, address);
      const isLast = (await countPasskeys(tx, userId)) === 0;
      return { name, hasTurnedOff: isLast && (await secondFactor.turnOff(tx, userId, address)) };
    });
  }

  /** Starts a login with any passkey, or, after a password, with a passkey of one user. */
  async startLogin(request: Request, userId?: number): Promise<CeremonyOptions> {
    const purpose = userId === undefined ? 'login' : 'second factor';
    const { challenge, cookie } = this.#challenges.make(request, { purpose, user: userId });
    const known = userId === undefined ? undefined : await listPasskeys(this.#options.db, userId);
    return { options: requestOptions(this.#options, challenge, known), cookie };
  }

  /** Finds the user of a passkey response. Failures count towards a limit per IP address, like wrong passwords. */
  async prove(
    credential: CredentialProof,
    { request, address, userId }: { request: Request; address: string; userId: number | undefined },
  ): Promise<{ userId: number; purpose: Purpose['purpose'] }> {
    const from = limitKey(address);
    await this.#failures.take(from);
    const { challenge, purpose } = await this.#redeem(request, credential, (asked) =>
      asked.purpose === 'login' ? true : asked.purpose === 'second factor' && asked.user === userId,
    );
    const { db, now } = this.#options;
    const passkey = await findPasskey(db, credential.id);
    if (!passkey || (purpose === 'second factor' && passkey.user_id !== userId)) throw refused();
    const mustVerifyUser = purpose === 'login';
    const answer = { ...credential, challenge };
    const use = await readProof(this.#options, answer, passkey, { mustVerifyUser });
    if (!use || !(await usePasskey(db, passkey.id, { ...use, from: passkey.counter, now: now() })))
      throw refused();
    await this.#failures.giveBack(from);
    return { userId: passkey.user_id, purpose };
  }

  async #redeem(
    request: Request,
    { response }: { response: { clientDataJSON: string } },
    fits: (asked: Purpose) => boolean,
  ) {
    const asked = await this.#challenges.redeem(request, response.clientDataJSON);
    if (asked && fits(asked)) return asked;
    throw new AppError(
      'BAD_REQUEST',
      'This request for a passkey is too old or was already used. Try again.',
    );
  }
}

function assertOneMore(count: number): void {
  if (count >= MAX_PASSKEYS)
    throw new AppError(
      'QUOTA_EXCEEDED',
      'You have {count} passkeys, which is the limit. Remove one that you do not use.',
      { count: MAX_PASSKEYS },
    );
}

const refused = () =>
  new AppError('INVALID_CREDENTIALS', 'This passkey was not accepted. Try again, or log in another way.');
