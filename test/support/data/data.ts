import { EventParser, type ServerEvent } from '../../../contract/rules/event-stream.ts';
import type { TestApp, TestResponse, TestUser } from '../app.ts';

export type Mode = 'solo' | 'team' | 'social';

/** A page in a storage mode, and the path of its data. */
export interface DataPage {
  id: number;
  slug: string;
  address: string;
}

export async function publishApp(
  owner: TestUser,
  mode: Mode,
  fields: Record<string, unknown> = {},
): Promise<DataPage> {
  const page = await owner.publish({ name: `A ${mode} page`, storage_mode: `${mode}_app`, ...fields });
  return { id: page.id, slug: page.slug, address: `/api/pages/${page.id}/${mode}-data` };
}

export async function create(user: TestUser, address: string, data: unknown): Promise<TestResponse['body']> {
  const answer = await user.call('POST', address, { body: { data } });
  if (answer.status !== 201)
    throw new Error(`creating failed: ${answer.status} ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Adds a user to the team of a page. */
export async function join(
  quire: TestApp,
  owner: TestUser,
  page: { id: number },
  user: TestUser,
  role: string,
) {
  const invite = await owner.call('POST', `/api/pages/${page.id}/team/invite`, { body: { role } });
  const joined = await quire.call('POST', `/api/join/${invite.body.inviteCode}`, { token: user.token });
  if (joined.status !== 200) throw new Error(`joining failed: ${JSON.stringify(joined.body)}`);
}

/** What a stream of server-sent events has sent so far. */
export interface Reading {
  events: Array<{ id: string; name: string; data: unknown }>;
  /** Waits until this many events with the name have come. */
  until(count: number, name?: string): Promise<Reading['events']>;
  /** Resolves when the stream has ended. */
  ended: Promise<void>;
  close(): void;
}

/** Reads a stream of server-sent events like a browser. */
export function readEvents(response: Response): Reading {
  const events: Reading['events'] = [];
  const waiting = new Set<() => void>();
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const ended = (async () => {
    const decoder = new TextDecoder();
    const parser = new EventParser(take);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parser.push(decoder.decode(value, { stream: true }));
    }
    for (const wake of waiting) wake();
  })();

  function take({ id = '', name, data }: ServerEvent): void {
    if (data === undefined) return;
    events.push({ id, name, data: JSON.parse(data) });
    for (const wake of waiting) wake();
  }

  return {
    events,
    async until(count, name = 'message') {
      const matching = () => events.filter((event) => event.name === name);
      while (matching().length < count) {
        const state = await Promise.race([
          new Promise<'more'>((resolve) => {
            const wake = () => {
              waiting.delete(wake);
              resolve('more');
            };
            waiting.add(wake);
          }),
          ended.then(() => 'ended' as const),
        ]);
        if (state === 'ended' && matching().length < count) {
          throw new Error(`the stream ended after ${matching().length} of ${count} events`);
        }
      }
      return matching();
    },
    ended,
    close: () => void reader.cancel().catch(() => undefined),
  };
}
