import { type Fields, isObject } from './message.ts';

/**
 * Calls that a client may cancel with `notifications/cancelled`. In the stateless revisions a client disconnects
 * instead. The older ones send the notification as a request of its own, which names the call by its id only. Clients
 * count ids from 0, so two clients with one token use the same ids: a call is cancelled only if no other call has that
 * id, and only by a client with the same address and name.
 */
export class Cancellations {
  readonly #open = new Map<string, Set<AbortController>>();

  /** Registers a call. `end` must follow. */
  begin(client: string, id: unknown): { signal: AbortSignal; end(): void } {
    const controller = new AbortController();
    const key = toKey(client, id);
    const calls = this.#open.get(key) ?? new Set();
    this.#open.set(key, calls.add(controller));
    return {
      signal: controller.signal,
      end: () => {
        calls.delete(controller);
        if (calls.size === 0) this.#open.delete(key);
      },
    };
  }

  /** Cancels the call that a notification names, if that is clear. */
  cancel(client: string, notification: Fields): void {
    const { params } = notification;
    if (!isObject(params)) return;
    const calls = this.#open.get(toKey(client, params.requestId));
    if (calls?.size === 1) for (const call of calls) call.abort();
  }

  get size(): number {
    return this.#open.size;
  }
}

const toKey = (client: string, id: unknown) => `${client}\n${typeof id}\n${String(id)}`;
