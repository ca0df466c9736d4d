import { LIVE_PUBLICATIONS } from '../protocol.ts';
import { ask, createPace, failure, type Inner } from './ask.ts';

/** `env.LIVE`: sends messages to the visitors of its owner's pages. */
export function live(inner: Inner): object {
  const waitMs = createPace(LIVE_PUBLICATIONS);

  async function publish(pageId: unknown, channel: unknown, message: unknown): Promise<void> {
    const pauseMs = waitMs();
    // The server counts too. Refused here, a function that publishes in a loop costs the server nothing.
    if (pauseMs > 0) {
      const error = `Your functions can publish ${LIVE_PUBLICATIONS.perSecond} messages a second. Publish fewer, or several in one.`;
      throw failure('LIVE.publish', { error, code: 'RATE_LIMITED' }, Math.ceil(pauseMs / 1000));
    }
    await ask(inner, 'live', 'LIVE.publish', { pageId, channel, message });
  }

  return Object.freeze({ publish });
}
