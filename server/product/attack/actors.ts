import { randomUUID } from 'node:crypto';
import { MAX_ATTACK_REQUESTS } from '../../../contract/attack/attack.ts';
import { type Actor, releaseBody } from '../../platform/http/index.ts';
import type { AttackContext } from './context.ts';
import type { Copy } from './copy.ts';

/** Who acts. The owner only prepares and looks. */
export type Who = 'owner' | 'nobody' | 'stranger' | 'other' | 'member';

export interface Tried {
  status: number;
  text: string;
  json: unknown;
  /** The request, as a person reads it. */
  request: string;
}

const MAX_LETTERS = 200_000;
const MAX_SHOWN = 300;

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

  /** Sends a request as somebody. The credentials of a real person are never used. */
  async send(who: Who, method: string, path: string, body?: unknown): Promise<Tried> {
    if (this.isOver) throw new AttackOver();
    this.#left--;
    const actor = who === 'owner' ? this.#owner : this.#people.get(who);
    const content = body === undefined ? {} : { body: JSON.stringify(body) };
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const request = new Request(this.#context.baseUrl + path, {
      method,
      headers,
      signal: this.#signal,
      ...content,
    });
    const as = { actor };
    // Every request comes from another address, so that no limit of an address hides an answer.
    const visit = { address: nextAddress(), requestId: randomUUID(), as };
    try {
      const response = await this.#context.api()(request, {
        ...visit,
        ...(who !== 'owner' && { visitor: { actor, pageId: this.#copy.page.id } }),
      });
      const text = await readStart(response);
      return { status: response.status, text, json: parse(text), request: describe(method, path, body) };
    } finally {
      releaseBody(request);
    }
  }
}

/** The attack has used up its requests or its time. What was found until then counts. */
export class AttackOver extends Error {}

let addresses = 0;
const nextAddress = () => `198.18.${(++addresses >> 8) & 255}.${addresses & 255}`;

async function readStart(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const decoder = new TextDecoder();
  let text = '';
  while (text.length < MAX_LETTERS) {
    const { done, value } = await reader.read();
    if (done) break;
    text += decoder.decode(value, { stream: true });
  }
  await reader.cancel();
  return text;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const describe = (method: string, path: string, body: unknown) =>
  `${method} ${path}${body === undefined ? '' : ` ${shorten(JSON.stringify(body))}`}`;

/** A text that fits into a finding. */
export const shorten = (text: string) =>
  (text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text).toWellFormed();
