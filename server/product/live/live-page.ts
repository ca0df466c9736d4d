import type { LivePresence } from '../../../contract/live/messages.ts';
import type { Relay } from '../../platform/coordination/events/index.ts';
import { Channel, type Member } from './channel.ts';

/** A message between nodes about a page: a line for a channel, its presence, or a request for the presence. */
type NodeMessage =
  | { type: 'line'; channel: string; line: string }
  | { type: 'here'; channel: string; presence: LivePresence }
  | { type: 'who'; channel?: string };

/** A page with open tabs at this node. */
export class LivePage {
  readonly channels = new Map<string, Channel>();
  /** Set while the access of visitors is checked. Nothing is delivered meanwhile. */
  checking: Promise<void> | undefined;
  #deliveredBefore = 0;
  readonly #unfollow: () => void;

  constructor(
    readonly id: number,
    readonly ownerId: number,
    private readonly relay: Relay,
    private readonly options: {
      /** Sends to all connections of a topic at this node. */
      publish(topic: string, frame: string): void;
      /** Whether a line from another node may be delivered to this many recipients. */
      mayDeliver(recipients: number): boolean;
    },
  ) {
    this.#unfollow = relay.follow(
      this.#topic,
      (node, text) => this.#receive(node, JSON.parse(text) as NodeMessage),
      () => this.meetNodes(),
    );
  }

  get delivered(): number {
    let delivered = this.#deliveredBefore;
    for (const { delivery } of this.channels.values()) delivered += delivery.delivered;
    return delivered;
  }

  join(name: string, member: Member): LivePresence {
    let channel = this.channels.get(name);
    if (!channel) {
      channel = new Channel(name, {
        topic: `${this.#topic} ${name}`,
        publish: this.options.publish,
        whenSure: () => this.checking,
        tellNodes: (presence) => this.#tell({ type: 'here', channel: name, presence }),
      });
      this.channels.set(name, channel);
      this.#tell({ type: 'who', channel: name });
    }
    return channel.join(member);
  }

  leave(name: string, member: Member): void {
    const channel = this.channels.get(name);
    if (!channel) return;
    channel.leave(member);
    if (channel.delivery.size > 0) return;
    this.channels.delete(name);
    this.#deliveredBefore += channel.delivery.delivered;
    channel.stop();
  }

  /** Delivers a line to everybody in the channel, at all nodes. */
  publish(name: string, line: string): void {
    this.channels.get(name)?.delivery.push(line);
    sendToNodes(this.relay, this.id, name, line);
  }

  /** Exchanges presence with the other nodes. */
  meetNodes(): void {
    for (const [channel, { presence }] of this.channels)
      this.#tell({ type: 'here', channel, presence: presence.here() });
    if (this.channels.size > 0) this.#tell({ type: 'who' });
  }

  forgetNode(node: string): void {
    for (const channel of this.channels.values()) channel.forgetNode(node);
  }

  stop(): void {
    for (const channel of this.channels.values()) channel.stop();
    this.#unfollow();
  }

  get #topic(): string {
    return toTopic(this.id);
  }

  #tell(message: NodeMessage): void {
    this.relay.publish(this.#topic, JSON.stringify(message));
  }

  #receive(node: string, message: NodeMessage): void {
    const channel = this.channels.get(message.channel ?? '');
    if (message.type === 'who') this.#answer(message.channel);
    else if (message.type === 'here') channel?.setElsewhere(node, message.presence);
    else if (channel && !channel.delivery.isFull && this.options.mayDeliver(channel.delivery.size))
      channel.delivery.push(message.line);
  }

  #answer(asked: string | undefined): void {
    for (const [channel, { presence }] of this.channels) {
      const isAsked = asked === undefined || asked === channel;
      if (isAsked && !presence.isEmptyHere) this.#tell({ type: 'here', channel, presence: presence.here() });
    }
  }
}

const toTopic = (pageId: number) => `live:${pageId}`;

/** Sends a line to the other nodes, also from a node where nobody has the page open. */
export function sendToNodes(relay: Relay, pageId: number, channel: string, line: string): void {
  const message: NodeMessage = { type: 'line', channel, line };
  relay.publish(toTopic(pageId), JSON.stringify(message));
}
