import { WRITE } from '../../../../../contract/functions/access.ts';
import { limitKey } from '../../../../lib/addresses.ts';
import type { Limit } from '../../../../platform/coordination/limits/index.ts';
import type { Identities, TrialShare, Visit } from '../../../../platform/http/index.ts';
import { fail, UNKNOWN } from '../failures.ts';
import type { FunctionNames } from '../names.ts';
import type { LiveFunction, Registry } from '../registry.ts';
import type { WhoCalls } from '../who-calls.ts';
import type { BranchAccess } from './branch-access.ts';

/** The input of a call in addition to the request. */
export interface CallOrigin {
  address: string;
  bearer: string | undefined;
  requestId: string;
  /** The page whose host the call came to. */
  pageHost?: Visit['pageHost'];
  /** The visitor for whom the MCP server of a page calls. */
  visitor?: Visit['visitor'];
  socketServer?: Visit['socketServer'];
}

/** Which function is called: by its slug through the API, or by its id on its own host. `path` is what it sees. */
export type CallTarget = { slug: string; path: string } | { id: number; path: string };

export interface CallGateOptions {
  registry: Registry;
  names: FunctionNames;
  branchAccess: BranchAccess;
  identities: Identities;
  whoCalls: WhoCalls;
  trialShare: TrialShare;
  apiLimit: Limit;
  hostLimit: Limit;
}

/** Decides who can call which function, before the body is read. */
export class CallGate {
  readonly #options: CallGateOptions;

  constructor(options: CallGateOptions) {
    this.#options = options;
  }

  /** The function that a request calls, or the response to a request that cannot call it. */
  async admit(request: Request, target: CallTarget, caller: CallOrigin): Promise<LiveFunction | Response> {
    const { registry, names, branchAccess, apiLimit, hostLimit } = this.#options;
    const isApi = 'slug' in target;
    await (isApi ? apiLimit : hostLimit).take(limitKey(caller.address));
    const from = { path: target.path, pageHost: caller.pageHost };
    const found = await (isApi ? names.find(target.slug, request, from) : registry.byId(target.id));
    if (!found || !(found.isPublic || (await this.#canCallPrivate(found, request, caller))))
      return fail(UNKNOWN);
    const arrival = { ...caller, path: target.path };
    if (found.branchSlug !== null && !(await branchAccess.admits(found, request, arrival)))
      return fail(UNKNOWN);
    return found.block ? fail(found.block) : found;
  }

  /**
   * Whether a token can call the private functions of their owner. A call needs no scope, except for a connected app:
   * the person has allowed it this, or not. Somebody who tries a page can call its function, which is always private.
   * Others must not learn that a private function exists.
   */
  async #canCallPrivate(
    found: LiveFunction,
    request: Request,
    { bearer, pageHost }: CallOrigin,
  ): Promise<boolean> {
    const { identities } = this.#options;
    if (bearer === undefined) return this.#admitTrial(found, request, { pageHost });
    const actor = await identities.byBearer(bearer);
    if (!actor || actor.onlyPage !== undefined || actor.userId !== found.ownerId) return false;
    return !actor.isApp || actor.scopes.includes(WRITE.scope);
  }

  /** Whether the function is called in the trial of its page. Each call may store something, so it takes of its share. */
  async #admitTrial(
    found: LiveFunction,
    request: Request,
    arrival: Pick<CallOrigin, 'pageHost'>,
  ): Promise<boolean> {
    const { whoCalls, trialShare } = this.#options;
    const pageId = await whoCalls.findTrial(found, request, arrival);
    if (pageId === undefined) return false;
    await trialShare.take(pageId, request);
    return true;
  }
}
