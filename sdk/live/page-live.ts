import type { Self } from '../self.ts';
import type { LiveChannel } from './channel.ts';
import type { joinChannel } from './join.ts';

/**
 * Channels between the visitors of this page. Everything about them is loaded when the page uses the first one, because
 * most pages use none.
 */
export function createPageLive(self: Self): Quire.PageLive {
  const join = async (name: string): Promise<LiveChannel> => {
    const module: { joinChannel: typeof joinChannel } = await import(`${self.scripts}/live.js`);
    return module.joinChannel(self, name);
  };

  return {
    channel(name) {
      const joining = join(name);
      const listen = (begin: (channel: LiveChannel) => () => void) => {
        const stopping = joining.then(begin);
        return () => void stopping.then((stop) => stop());
      };
      return {
        name,
        send: (message) => joining.then((channel) => channel.send(message)),
        on: (callback) => listen((channel) => channel.on(callback as never)),
        onJoin: (callback) => listen((channel) => channel.onJoin(callback)),
        presence: ((callback?: never) =>
          callback
            ? listen((channel) => channel.onPresence(callback))
            : joining.then((channel) => channel.presence())) as Quire.LiveChannel['presence'],
        leave: () => joining.then((channel) => channel.leave()),
      };
    },
  };
}
