import type { Visit } from '../../platform/http/index.ts';
import { MAX_USER_AGENT } from './bots.ts';
import { MAX_LOADS_PENDING } from './limits.ts';
import { MAX_REFERER } from './referrers.ts';

/** A load of a document that is not counted yet. Headers that are too long to be read are not kept. */
export interface Load {
  pageId: number;
  at: number;
  /** Empty if there is none. */
  userAgent: string;
  address: string;
  referer: string | null;
  /** The host that the browser asked. Only with a referer. */
  host: string | null;
}

/** Longer ones are no names of hosts. */
const MAX_HOST_HEADER = 300;

/**
 * The loads since the last count. Adding one is part of the hottest path of the service, so this only writes down what
 * is gone after the request. All of them are counted together, which takes about a millisecond.
 */
export class Loads {
  readonly #loads = Array.from({ length: MAX_LOADS_PENDING }, empty);
  #length = 0;

  get isFull(): boolean {
    return this.#length === MAX_LOADS_PENDING;
  }

  add(pageId: number, at: number, { headers }: Request, visit: Pick<Visit, 'address'>): void {
    const load = this.#loads[this.#length++] as Load;
    load.pageId = pageId;
    load.at = at;
    load.userAgent = upTo(MAX_USER_AGENT, headers.get('user-agent')) ?? '';
    // A program is not a visitor, and comes from nowhere.
    if (load.userAgent === '') return;
    load.address = visit.address;
    load.referer = upTo(MAX_REFERER, headers.get('referer'));
    load.host = load.referer === null ? null : upTo(MAX_HOST_HEADER, headers.get('host'));
  }

  /** Calls `count` with each load and forgets them. */
  take(count: (load: Load) => void): void {
    const length = this.#length;
    this.#length = 0;
    for (let i = 0; i < length; i++) {
      const load = this.#loads[i] as Load;
      count(load);
      // Nothing that says who came stays here.
      load.userAgent = '';
      load.address = '';
      load.referer = null;
      load.host = null;
    }
  }
}

const empty = (): Load => ({ pageId: 0, at: 0, userAgent: '', address: '', referer: null, host: null });

const upTo = (length: number, header: string | null) =>
  header !== null && header.length <= length ? header : null;
