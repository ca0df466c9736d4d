import type { Broadcast, Relay } from '../../platform/coordination/events/index.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Route } from '../../platform/http/index.ts';
import { LiveHub } from './hub.ts';
import { createPublish, type Publish } from './publish.ts';
import { liveRoutes } from './routes.ts';
import type { VisitorContext } from './visitor.ts';

/** Channels between the visitors of a page, and who is in them. Nothing is stored. */
export interface Live {
  routes: Route[];
  /** Publishes what a function sends. */
  publish: Publish;
  /** Call this when a page, or who can see it, has changed. */
  accessChanged(pageId: number): void;
  /** Call this when somebody has logged out, or was logged out somewhere. */
  loginsEnded(userId: number): void;
  /** The people with a page open that has channels. */
  countPeople(pageId: number): number;
  status(): ReturnType<LiveHub['status']>;
  stop(): void;
}

export function createLive(
  options: VisitorContext & {
    now: () => number;
    limits: Limits;
    /** Messages to and from the other nodes: those that no node may miss, and those that nobody keeps. */
    broadcast: Broadcast;
    relay: Relay;
    sockets: { publish(topic: string, frame: string): void };
  },
): Live {
  const { broadcast, sockets } = options;
  const hub = new LiveHub({ ...options, publish: (topic, frame) => sockets.publish(topic, frame) });
  broadcast.subscribe('live access', (pageId) => hub.accessChanged(Number(pageId)));
  broadcast.subscribe('live logins', (userId) => hub.loginsChanged(Number(userId)));
  broadcast.onGap(() => hub.checkAll());
  return {
    routes: liveRoutes({ ...options, hub }),
    publish: createPublish({ ...options, hub }),
    accessChanged(pageId) {
      hub.accessChanged(pageId);
      broadcast.publish('live access', pageId);
    },
    loginsEnded(userId) {
      hub.loginsChanged(userId);
      broadcast.publish('live logins', userId);
    },
    countPeople: (pageId) => hub.countPeople(pageId),
    status: () => hub.status(),
    stop: () => hub.stop(),
  };
}
