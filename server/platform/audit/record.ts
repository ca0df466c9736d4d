import type { Tx } from '../storage/index.ts';

/** Something that somebody did. */
export interface AuditEntry {
  /** Undefined for the operator in a shell. */
  actor: { userId: number; username: string } | 'the service' | undefined;
  /** What they did, such as `page.take_down`: the kind of the target, a dot and a verb. */
  action: string;
  target: { kind: string; id: number | null; name: string };
  /** The owner of the target, who can see the entry, unless they did it themselves. */
  ownerId?: number | undefined;
  /** Where the request came from; empty in a shell. */
  address: string;
  details?: Record<string, unknown> | undefined;
  now: number;
}

/** The name that stands for the operator in a shell. No username has a space. */
const OPERATOR = 'the operator';

/** Adds an entry, in the transaction of what it describes: there is never one without the other. */
export async function recordAudit(tx: Tx, entry: AuditEntry): Promise<void> {
  const { target, details = {} } = entry;
  const actor = entry.actor === 'the service' ? { userId: null, username: entry.actor } : entry.actor;
  await tx
    .insertInto('audit_entries')
    .values({
      at: entry.now,
      actor_id: actor?.userId ?? null,
      actor_name: actor?.username ?? OPERATOR,
      action: entry.action,
      target_kind: target.kind,
      target_id: target.id,
      target_name: target.name,
      owner_id: entry.ownerId ?? null,
      address: entry.address,
      details: JSON.stringify(details),
    })
    .execute();
}
