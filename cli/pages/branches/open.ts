import { connect } from '../../client/connect.ts';
import type { Call } from '../../command.ts';
import { findPageId } from '../find.ts';

/** The page and the branch that a command names. */
export async function open(call: Call) {
  const [slugOrId = '', name = ''] = call.args;
  const api = await connect(call);
  return { api, id: await findPageId(api, slugOrId), name };
}
