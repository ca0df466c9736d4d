import { MAX_LIVE_PEOPLE } from '../../../contract/live/limits.ts';
import type { LivePerson, LivePresence } from '../../../contract/live/messages.ts';

/** The presence of a channel: the people at this node, and those that the other nodes have reported. */
export class Presence {
  /** The people at this node, each with the number of their tabs. */
  readonly #here = new Map<LivePerson['id'], { person: LivePerson; tabs: number }>();
  readonly #elsewhere = new Map<string, LivePresence>();

  get isEmptyHere(): boolean {
    return this.#here.size === 0;
  }

  /** Adds a tab of a person. True if it is their first. */
  enter(person: LivePerson): boolean {
    const known = this.#here.get(person.id);
    if (known) known.tabs++;
    else this.#here.set(person.id, { person, tabs: 1 });
    return !known;
  }

  /** Removes a tab of a person. True if it was their last. */
  leave({ id }: LivePerson): boolean {
    const known = this.#here.get(id);
    if (!known || --known.tabs > 0) return false;
    return this.#here.delete(id);
  }

  /** Sets the presence at another node. True if it has changed. */
  setElsewhere(node: string, presence: LivePresence): boolean {
    if (presence.count === 0) return this.#elsewhere.delete(node);
    const isNew = JSON.stringify(this.#elsewhere.get(node)) !== JSON.stringify(presence);
    this.#elsewhere.set(node, presence);
    return isNew;
  }

  forgetNode(node: string): boolean {
    return this.#elsewhere.delete(node);
  }

  /** The presence at this node, for the other nodes. */
  here(): LivePresence {
    return { people: this.#firstHere(), count: this.#here.size };
  }

  /** The presence that visitors see. People beyond those that a node names are counted once for each node. */
  everywhere(): LivePresence {
    const people = this.#firstHere();
    const named = new Set(people.map(({ id }) => id));
    let count = this.#here.size;
    for (const other of this.#elsewhere.values()) {
      count += other.count;
      for (const person of other.people) {
        if (named.has(person.id) || this.#here.has(person.id)) count--;
        else if (people.length < MAX_LIVE_PEOPLE) people.push(person);
        named.add(person.id);
      }
    }
    return { people, count };
  }

  /** How many people a message reaches. */
  get size(): number {
    let size = this.#here.size;
    for (const { count } of this.#elsewhere.values()) size += count;
    return size;
  }

  #firstHere(): LivePerson[] {
    const people: LivePerson[] = [];
    for (const { person } of this.#here.values()) {
      if (people.length === MAX_LIVE_PEOPLE) break;
      people.push(person);
    }
    return people;
  }
}
