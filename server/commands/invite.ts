import type { Call } from '../../cli/command.ts';
import { columns } from '../../cli/terminal/columns.ts';
import { UsageError } from '../../cli/usage.ts';
import { InviteRequest } from '../../contract/accounts/invites.ts';
import { validate } from '../platform/http/index.ts';
import { operate } from './operate.ts';

/** The operator in a shell. */
const OPERATOR = { user: undefined, address: '' };

/** `quire invite create`: makes a link that lets people register. */
export function createInvite(call: Call): Promise<void> {
  const number = (option: string) => {
    const text = call.text(option);
    return text === undefined ? undefined : Number(text);
  };
  const wanted = validate(InviteRequest, {
    maxUses: number('uses'),
    expiresInHours: number('hours'),
    note: call.text('note'),
    email: call.text('email'),
  });
  return operate(call, async ({ invites }) => {
    const made = await invites.create(wanted, OPERATOR);
    const sent = made.isMailed ? `\nThe server sends it to ${wanted.email}.` : '';
    const { link, invite } = made;
    call.out.result({ ...invite, link, isMailed: made.isMailed }, `${link}${sent}`);
  });
}

/** `quire invite list`: lists the invites, without their links. */
export function listInvites(call: Call): Promise<void> {
  return operate(call, async ({ invites }) => {
    const list = await invites.list();
    const headings = ['id', 'uses', 'by', 'email', 'expires', 'note'];
    const rows = list.map((invite) => [
      ...[invite.id, `${invite.uses} of ${invite.maxUses}`, invite.createdBy ?? 'the operator'],
      ...[invite.email ?? '', invite.expiresAt.slice(0, 16), invite.note],
    ]);
    call.out.result(
      { invites: list },
      rows.length ? columns(headings, rows, call.out.paint.bold) : 'There are no invites.',
    );
  });
}

/** `quire invite revoke`: ends an invite. */
export function revokeInvite(call: Call): Promise<void> {
  const [text = ''] = call.args;
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1) throw new UsageError(`${text} is not the id of an invite.`);
  return operate(call, async ({ invites }) => {
    await invites.revoke(id, OPERATOR);
    call.out.done({ id }, `Revoked the invite ${id}.`);
  });
}
