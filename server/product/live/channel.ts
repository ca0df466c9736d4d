import type { LiveEvent, LivePerson, LivePresence } from '../../../contract/live/messages.ts';
import { Delivery, type Recipient } from './delivery.ts';
import { Presence } from './presence.ts';

/** A tab in a channel. */
export interface Member extends Recipient {
  person: LivePerson;
  /** False for browsers that check a page: they see the others, and the others do not see them. */
  isListed: boolean;
}

/** The least time between two announcements of presence, and the time that each recipient adds. */
const ANNOUNCE_MS = 100;
const ANNOUNCE_MS_PER_TAB = 1;

/** A channel of a page, with the tabs in it at this node. */
export class Channel {
  readonly presence = new Presence();
  /** Delivers lines to the tabs in the channel. */
  readonly delivery: Delivery<Member>;
  #announcing: ReturnType<typeof setTimeout> | undefined;
  #announcedAt = 0;
  #hasChangedHere = false;

  constructor(
    readonly name: string,
    private readonly options: {
      topic: string;
      publish(topic: string, frame: string): void;
      whenSure(): Promise<void> | undefined;
      /** Sends the presence at this node to the other nodes. */
      tellNodes(presence: LivePresence): void;
    },
  ) {
    this.delivery = new Delivery(options);
  }

  join(member: Member): LivePresence {
    this.delivery.add(member);
    if (member.isListed && this.presence.enter(member.person)) this.#changedHere();
    return this.presence.everywhere();
  }

  leave(member: Member): void {
    if (!this.delivery.remove(member)) return;
    if (member.isListed && this.presence.leave(member.person)) this.#changedHere();
  }

  /** Sets the presence at another node. */
  setElsewhere(node: string, presence: LivePresence): void {
    if (this.presence.setElsewhere(node, presence)) this.#announceSoon();
  }

  forgetNode(node: string): void {
    if (this.presence.forgetNode(node)) this.#announceSoon();
  }

  /** Stops the channel when nobody is left at this node. */
  stop(): void {
    clearTimeout(this.#announcing);
    this.delivery.stop();
    if (this.#hasChangedHere) this.options.tellNodes(this.presence.here());
  }

  #changedHere(): void {
    this.#hasChangedHere = true;
    this.#announceSoon();
  }

  /**
   * Announces the changes of some time together. The time grows with the number of recipients: otherwise the work of
   * letting many in would grow with the square of their number.
   */
  #announceSoon(): void {
    if (this.#announcing) return;
    const pauseMs = ANNOUNCE_MS + this.delivery.size * ANNOUNCE_MS_PER_TAB;
    const waitMs = Math.max(ANNOUNCE_MS / 4, this.#announcedAt + pauseMs - performance.now());
    this.#announcing = setTimeout(() => this.#announce(), waitMs);
  }

  #announce(): void {
    this.#announcing = undefined;
    this.#announcedAt = performance.now();
    if (this.#hasChangedHere) this.options.tellNodes(this.presence.here());
    this.#hasChangedHere = false;
    const event: LiveEvent = {
      type: 'presence',
      channel: this.name,
      presence: this.presence.everywhere(),
    };
    this.delivery.push(JSON.stringify(event));
  }
}
