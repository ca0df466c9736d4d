import type { CreatedInvite, Invite, InviteRequest } from '../../../../contract/accounts/invites.ts';
import { AppError, notFound } from '../../../lib/errors.ts';
import { hashSecret, randomSecret } from '../../../lib/secrets.ts';
import { toTimestamp } from '../../../lib/timestamp.ts';
import { recordAudit } from '../../../platform/audit/index.ts';
import type { Mail } from '../../../platform/mail/index.ts';
import type { Db } from '../../../platform/storage/index.ts';
import {
  countInvites,
  deleteInvite,
  deleteInvitesExpiredBefore,
  insertInvite,
  listInvites,
} from './invite-store.ts';

const HOUR_MS = 3600 * 1000;
/** The most invites at a time. Expired ones are kept for a while, so that administrators see their result. */
const MAX_INVITES = 1_000;
const KEEP_EXPIRED_MS = 30 * 24 * HOUR_MS;

/** The user who makes or revokes an invite; undefined for the operator in a shell. */
interface Inviter {
  user: { userId: number; username: string } | undefined;
  address: string;
}

/** Links that let people register while registration is by invite. */
export class Invites {
  readonly #options: { db: Db; mail: Mail; baseUrl: string; now: () => number };

  constructor(options: { db: Db; mail: Mail; baseUrl: string; now: () => number }) {
    this.#options = options;
  }

  async create(wanted: InviteRequest, by: Inviter): Promise<CreatedInvite> {
    const { db, mail, baseUrl, now } = this.#options;
    const { maxUses, note, email } = wanted;
    const secret = randomSecret();
    const link = `${baseUrl}/register?invite=${secret}`;
    const createdAt = now();
    const expiresAt = createdAt + wanted.expiresInHours * HOUR_MS;
    const { id, isMailed } = await db.transaction().execute(async (tx) => {
      if ((await countInvites(tx)) >= MAX_INVITES) throw tooManyInvites();
      const times = { now: createdAt, expiresAt };
      const made = { secretHash: hashSecret(secret), createdBy: by.user?.userId, email, note, maxUses };
      const inviteId = await insertInvite(tx, { ...made, ...times });
      const details = { maxUses, note, ...(email && { email }) };
      await recordAudit(tx, {
        ...{ actor: by.user, action: 'invite.create', address: by.address, details, now: createdAt },
        target: { kind: 'invite', id: inviteId, name: note },
      });
      const invitedBy = by.user?.username ?? 'The operator';
      const message = { kind: 'registration invite', invitedBy, note, link, expiresAt } as const;
      const isMailed = email !== undefined && (await mail.send(tx, { to: email, message, expiresAt }));
      return { id: inviteId, isMailed };
    });
    const invite = {
      ...{ id, note, email: email ?? null, uses: 0, maxUses, isUsable: true },
      createdBy: by.user?.username ?? null,
      createdAt: toTimestamp(createdAt),
      expiresAt: toTimestamp(expiresAt),
    };
    return { success: true as const, invite, link, isMailed };
  }

  /** Lists the invites, the newest first. Links are not shown: only their hashes are stored. */
  async list(): Promise<Invite[]> {
    const rows = await listInvites(this.#options.db, MAX_INVITES);
    return rows.map((row) => ({
      ...{ id: row.id, note: row.note, email: row.email, uses: row.uses, maxUses: row.max_uses },
      createdBy: row.username,
      createdAt: toTimestamp(row.created_at),
      expiresAt: toTimestamp(row.expires_at),
      isUsable: row.uses < row.max_uses && row.expires_at > this.#options.now(),
    }));
  }

  async revoke(id: number, by: Inviter): Promise<void> {
    const { db, now } = this.#options;
    await db.transaction().execute(async (tx) => {
      const revoked = await deleteInvite(tx, id);
      if (!revoked) throw notFound('This invite was not found.');
      await recordAudit(tx, {
        ...{ actor: by.user, action: 'invite.revoke', address: by.address, now: now() },
        target: { kind: 'invite', id, name: revoked.note },
      });
    });
  }

  purge(): Promise<void> {
    return deleteInvitesExpiredBefore(this.#options.db, this.#options.now() - KEEP_EXPIRED_MS);
  }
}

function tooManyInvites(): AppError {
  return new AppError('QUOTA_EXCEEDED', 'There are {count} invites, which is the limit. Revoke some first.', {
    count: MAX_INVITES,
  });
}
