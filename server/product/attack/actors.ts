import { MAX_ATTACK_REQUESTS } from '../../../contract/attack/attack.ts';
import type { Actor } from '../../platform/http/index.ts';
import type { AttackContext, Copy } from './context.ts';
import { type Sent, sendAs, type Tried } from './send.ts';

/** Who acts. The owner only prepares and looks. */
export type Who = 'owner' | 'nobody' | 'stranger' | 'other' | 'member';

/** The people of an attack, and what they send. They are removed with everything that they have stored. */
export class Actors {
  readonly #context: AttackContext;
  readonly #copy: Copy;
  readonly #owner: Actor;
  readonly #signal: AbortSignal;
  readonly #people = new Map<Who, Actor>();
  #left = MAX_ATTACK_REQUESTS;

  constructor(options: { context: AttackContext; copy: Copy; owner: Actor; signal: AbortSignal }) {
    this.#context = options.context;
    this.#copy = options.copy;
    this.#owner = options.owner;
    this.#signal = options.signal;
  }

  /** Invents two strangers, and a viewer of the team if the page has one. */
  async invent(hasTeam: boolean): Promise<void> {
    const strangers = ['stranger', 'other'] as const;
    for (const who of hasTeam ? ([...strangers, 'member'] as const) : strangers) {
      const role = who === 'member' && { role: 'viewer' as const };
      const userId = await this.#context.people.make(this.#copy.page, { name: who, ...role });
      const session = { isAdmin: false, via: 'page session', scopes: [], isCheck: true } as const;
      this.#people.set(who, { userId, username: who, ...session });
    }
  }

  async dismiss(): Promise<void> {
    for (const { userId } of this.#people.values())
      await this.#context.people.remove({ userId, pageId: this.#copy.page.id });
  }

  /** The id of an invented person, as functions learn it. */
  userId(who: Who): number | undefined {
    return this.#people.get(who)?.userId;
  }

  has(who: Who): boolean {
    return who === 'owner' || who === 'nobody' || this.#people.has(who);
  }

  /** Whether the budget of requests and time is used up. */
  get isOver(): boolean {
    return this.#left <= 0 || this.#signal.aborted;
  }

  /** Sends a request as somebody. */
  async send(
    who: Who,
    method: string,
    path: string,
    body?: unknown,
    more: Pick<Sent, 'content' | 'until'> = {},
  ): Promise<Tried> {
    if (this.isOver) throw new AttackOver();
    this.#left--;
    const actor = who === 'owner' ? this.#owner : this.#people.get(who);
    const sent = { method, path, body, signal: this.#signal, ...more };
    return sendAs(this.#context, actor, sent, who === 'owner' ? undefined : this.#copy.page.id);
  }
}

/** The attack has used up its requests or its time. What was found until then counts. */
export class AttackOver extends Error {}
