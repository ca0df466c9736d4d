import { MAX_LIVE_PEOPLE } from '../../../contract/live/limits.ts';
import type { LivePerson, LivePresence } from '../../../contract/live/messages.ts';

/** Who is in a channel: everybody at this node, and what the other nodes said of theirs. */
export class Presence {
  /** A person is there while one of their tabs is. */
  readonly #here = new Map<LivePerson['id'], { person: LivePerson; tabs: number }>();
  readonly #elsewhere = new Map<string, LivePresence>();

  get isEmptyHere(): boolean {
    return this.#here.size === 0;
  }

  /** Returns true if this is the person's first tab. */
  enter(person: LivePerson): boolean {
    const known = this.#here.get(person.id);
    if (known) known.tabs++;
    else this.#here.set(person.id, { person, tabs: 1 });
    return !known;
  }

  /** Returns true if this was the person's last tab. */
  leave({ id }: LivePerson): boolean {
    const known = this.#here.get(id);
    if (!known || --known.tabs > 0) return false;
    return this.#here.delete(id);
  }

  /** Returns true if this changes who is there. */
  setElsewhere(node: string, presence: LivePresence): boolean {
    if (presence.count === 0) return this.#elsewhere.delete(node);
    const isNew = JSON.stringify(this.#elsewhere.get(node)) !== JSON.stringify(presence);
    this.#elsewhere.set(node, presence);
    return isNew;
  }

  forgetNode(node: string): boolean {
    return this.#elsewhere.delete(node);
  }

  /** What the other nodes have to know. */
  here(): LivePresence {
    return { people: this.#firstHere(), count: this.#here.size };
  }

  /** What visitors see. People beyond those that a node names are counted once for each node. */
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
