import { phrase } from '../../../../contract/rules/texts/fill.ts';
import { AppError } from '../../../lib/errors.ts';

/** The columns that stop a function, whatever its owner decides. */
export interface Blocks {
  taken_down_at: number | null;
  owner_blocked_at: number | null;
}

/** Who took a function down, and when, for a copy of it or the same function made again. */
export const carryTakedown = (
  from: object & Partial<Record<'taken_down_at', number | null> & Record<'taken_down_reason', string | null>>,
) => ({
  taken_down_at: from.taken_down_at ?? null,
  taken_down_reason: from.taken_down_reason ?? null,
});

/** The error that a caller gets. */
export interface Block {
  status: 403 | 451;
  error: string;
}

const TAKEN_DOWN: Block = {
  status: 451,
  error: phrase(
    'An administrator of this server has taken this function down. Its owner can see why in the dashboard.',
  ).text,
};
/** The error if the owner's account is suspended, or about to be deleted. Callers do not learn which. */
const OWNER_BLOCKED: Block = {
  status: 403,
  error: phrase('This function is not available at the moment. Ask its owner.').text,
};

/** Why nobody can call the function; undefined if people can. */
export function findBlock({ taken_down_at, owner_blocked_at }: Blocks): Block | undefined {
  if (taken_down_at !== null) return TAKEN_DOWN;
  return owner_blocked_at === null ? undefined : OWNER_BLOCKED;
}

/** The error for a blocked function, for routes other than calls and for calls that wait for a cell. */
export class BlockedError extends AppError {
  constructor(readonly block: Block) {
    super(block.status === 451 ? 'TAKEN_DOWN' : 'FORBIDDEN', block.error);
  }
}

/** Fails if nobody can call the function. The owner learns the reason. */
export function assertNotBlocked(row: Blocks & { taken_down_reason: string | null }, isOwner: boolean): void {
  const block = findBlock(row);
  if (!block) return;
  if (block === OWNER_BLOCKED || !isOwner) throw new BlockedError(block);
  throw new AppError(
    'TAKEN_DOWN',
    'An administrator of this server has taken this function down. The reason: {reason}',
    { reason: String(row.taken_down_reason) },
  );
}
