import { LEFT_REASONS } from '../../../../contract/attack/words.ts';
import type { Text } from '../../../../contract/rules/texts/fill.ts';
import type { Actors, Who } from '../actors.ts';
import type { Findings } from '../findings.ts';
import { shorten, type Tried } from '../send.ts';
import { Invention, isId, isPersonal, isPersonId } from '../source/invent.ts';
import {
  dropLeaves,
  fill,
  type Leaf,
  listLeaves,
  OWN_ID,
  type Parameters,
  replaceAt,
} from '../source/parameters.ts';
import { hasClientCheck, type Source } from '../source/read-source.ts';
import { isRefusal, listIds, SQL_ERROR, tellsApart } from './function-answers.ts';

const MAX_CALLS = 24;
const CHANGES = /delete|remove|update|edit|change|reset|clear|approve|reject|set|cancel|close|ban|lösch/i;

export interface AttackedFunction {
  name: string;
  slug: string;
  /** Its code, if it can be read. */
  code: string;
  /** How it is called, if not by its slug. */
  send?: (who: Who, body: unknown) => Promise<Tried>;
}

interface Call extends AttackedFunction {
  parameters: Parameters;
}

/**
 * Calls every function that the page calls: as one person, then as others with the first one's ids, and with a quote.
 * Returns what was not tried.
 */
export async function attackFunctions(
  actors: Actors,
  functions: readonly AttackedFunction[],
  source: Source,
  findings: Findings,
): Promise<Text[]> {
  const left: Text[] = [];
  for (const target of functions) {
    const calls = source.calls
      .filter(({ name }) => name === target.name)
      .map(({ parameters }) => ({ ...target, parameters }))
      .slice(0, MAX_CALLS);
    const values = { name: target.name };
    if (calls.length > 0) left.push(...(await attackFunction(actors, calls, source, findings)));
    // A function that the page does not name may be for a schedule or for others.
    else if (source.text.includes(target.name)) left.push({ text: LEFT_REASONS.calls.text, values });
  }
  return left;
}

export async function attackFunction(
  actors: Actors,
  calls: Call[],
  source: Source,
  findings: Findings,
): Promise<Text[]> {
  const [adding, others] = split(calls);
  const reading = others.filter((each) => !isChanging(each));
  const session = new Session({ actors, findings, isGuarded: hasClientCheck(source.text), adding, reading });
  // What is added first gives the ids for what comes after.
  const answers: Tried[] = [];
  for (const call of [...adding, ...others]) answers.push(await session.prepare(call));
  for (const call of reading) await session.readAsOthers(call);
  for (const call of [...adding, ...others]) await session.quote(call);
  for (const call of others.filter(isChanging)) await session.changeAsOthers(call);
  for (const call of [...adding, ...others.filter(isChanging)].filter(hasOwnId)) await session.pretend(call);
  // What is refused to strangers is not left out: that is an answer.
  const isUnfilled = (tried: Tried) => tried.status >= 400 && ![401, 403].includes(tried.status);
  const first = answers.slice(0, Math.max(adding.length, 1));
  const [{ name = '' } = {}] = calls;
  return first.every(isUnfilled) ? [{ text: LEFT_REASONS.function.text, values: { name } }] : [];
}

/** An id that nothing has. */
const NO_ID = 987_654_321;
/** Ids up to here can be guessed. */
const MAX_GUESSED = 1_000_000;

interface Sending {
  /** Whose id is sent where a person is named. */
  ids?: Who;
  invention?: Invention;
  id?: string | number;
  put?: { path: string[]; text: string };
}

const isChanging = ({ parameters }: Call) =>
  listLeaves(parameters).some(
    ({ name, value }) =>
      (typeof value === 'string' && !isId(name) && CHANGES.test(value)) || /^(delete|remove)/i.test(name),
  );

/** Calls without ids, and without words for changing: what they send is new. */
function split(calls: Call[]): [Call[], Call[]] {
  const isAdding = (call: Call) =>
    !isChanging(call) &&
    listLeaves(call.parameters).some((leaf) => leaf.value === undefined && !isReference(leaf));
  return [calls.filter(isAdding), calls.filter((call) => !isAdding(call))];
}

/** Whether a parameter names something or somebody. */
const isReference = ({ name, value }: Leaf) =>
  value === OWN_ID || (value === undefined && (isId(name) || isPersonId(name)));
const namesThing = ({ name, value }: Leaf) => value === undefined && isId(name) && !isPersonId(name);
const hasOwnId = ({ parameters }: Call) => listLeaves(parameters).some(({ value }) => value === OWN_ID);

class Session {
  readonly #invention = new Invention();
  /** Ids that the answers to the first stranger had, by what they are called. */
  readonly #ids: Array<string | number> = [];

  constructor(
    private readonly given: {
      actors: Actors;
      findings: Findings;
      /** Whether the page lets only some people do something. */
      isGuarded: boolean;
      adding: readonly Call[];
      reading: readonly Call[];
    },
  ) {}

  /** Calls as the first stranger, and remembers the ids in the answer. */
  async prepare(call: Call): Promise<Tried> {
    const tried = await this.#send('stranger', call);
    for (const id of listIds(tried.json, this.#invention.mark))
      if (!this.#ids.includes(id)) this.#ids.push(id);
    return tried;
  }

  /** Whether others get what the first stranger entered, though it is not shown to everyone. */
  async readAsOthers(call: Call): Promise<void> {
    const before = await this.prepare(call);
    if (!this.#holds(before)) return;
    const references = listLeaves(call.parameters).some(isReference);
    for (const who of ['nobody', 'other'] as const) {
      const tried = await this.#send(who, call);
      if (!this.#holds(tried)) continue;
      const personal = this.#personalIn(tried.text);
      // Without personal data, an answer may be meant for everyone, unless the function tells people apart.
      const isHidden = references && (await this.#isHiddenInLists(call, who));
      if (personal.length > 0 || isHidden) this.#report('function-reads', call, who, tried, personal);
    }
  }

  /** Whether the function gives a person only their own where it lists, so that what it hands out by id is not public. */
  async #isHiddenInLists(call: Call, who: Who): Promise<boolean> {
    if (!tellsApart(call.code) && !this.#isOnlyForVisitor(call)) return false;
    const parameters = dropLeaves(call.parameters, namesThing);
    const own = await this.#send(who, { ...call, parameters }, { ids: who });
    return !this.#holds(own);
  }

  /** Whether the page asks for what belongs to its visitor, and never for what belongs to others. */
  #isOnlyForVisitor(call: Call): boolean {
    const toShape = ({ parameters }: Call) =>
      JSON.stringify(
        listLeaves(parameters).map((leaf) => [leaf.path, isReference(leaf) ? '' : String(leaf.value)]),
      );
    const isAlike = (other: Call) => !hasOwnId(other) && toShape(other) === toShape(call);
    return hasOwnId(call) && !this.given.reading.some(isAlike);
  }

  /** Whether others can change or delete what the first stranger made. */
  async changeAsOthers(call: Call): Promise<void> {
    const isMeant = this.given.isGuarded || tellsApart(call.code);
    for (const who of ['nobody', 'other'] as const) {
      // Somebody may have deleted what was there, so begin with something new.
      this.#ids.length = 0;
      for (const each of this.given.adding) await this.prepare(each);
      if (!isMeant && !(await this.#isKnownToMakerOnly(call))) return;
      const before = await this.#look();
      const without = before === undefined ? await this.#changeNothing(who, call) : undefined;
      const tried = await this.#send(who, call);
      if (tried.status >= 400 || isRefusal(tried)) continue;
      if (before !== undefined && before === (await this.#look())) continue;
      if (without !== undefined && without.text === tried.text) continue;
      return this.#report('function-changes', call, who, tried, []);
    }
  }

  /** What the same call says about something that does not exist; undefined if it names nothing. */
  async #changeNothing(who: Who, call: Call): Promise<Tried | undefined> {
    if (!listLeaves(call.parameters).some(namesThing)) return undefined;
    return this.#send(who, call, { id: NO_ID });
  }

  /** Whether only the one who made something was told its id, though others can guess it. */
  async #isKnownToMakerOnly(call: Call): Promise<boolean> {
    const [id] = this.#ids;
    if (!listLeaves(call.parameters).some(namesThing) || !(Number(id) <= MAX_GUESSED)) return false;
    for (const each of this.given.reading) {
      if (listLeaves(each.parameters).some(isReference)) continue;
      const { json } = await this.#send('other', each);
      if (listIds(json, this.#invention.mark).includes(id ?? '')) return false;
    }
    return true;
  }

  /** Whether somebody can act for the first stranger, where the page sends the id of its visitor along. */
  async pretend(call: Call): Promise<void> {
    const invention = new Invention();
    const tried = await this.#send('other', call, { invention });
    if (tried.status >= 400 || isRefusal(tried)) return;
    const holds = ({ status, text }: Tried) => status < 400 && text.includes(invention.mark);
    for (const each of this.given.reading) {
      if (!holds(await this.#send('stranger', each))) continue;
      // What everyone sees does not say whose it is.
      if (holds(await this.#send('other', each, { ids: 'other' }))) continue;
      return this.#report('function-changes', call, 'other', tried, []);
    }
  }

  /** What the first stranger sees of their own; undefined if the function shows them nothing. */
  async #look(): Promise<string | undefined> {
    const seen: string[] = [];
    for (const call of this.given.reading) {
      const tried = await this.prepare(call);
      if (this.#holds(tried)) seen.push(tried.text);
    }
    return seen.length > 0 ? seen.join('\n') : undefined;
  }

  /** Whether a quote in a text becomes part of a statement. */
  async quote(call: Call): Promise<void> {
    for (const { name, path, value } of listLeaves(call.parameters)) {
      if (value !== undefined) continue;
      const send = (end: string) =>
        this.#send('stranger', call, { put: { path, text: `${this.#invention.mark}${end}` } });
      const normal = await send('');
      if (SQL_ERROR.test(normal.text) || normal.status >= 500) continue;
      const broken = await send("'");
      if (!(broken.status >= 500 || SQL_ERROR.test(broken.text))) continue;
      const doubled = await send("''");
      if (doubled.status < 500 && !SQL_ERROR.test(doubled.text))
        this.#report('function-sql', call, 'stranger', broken, [name]);
    }
  }

  #send(who: Who, { slug, parameters, send }: Call, how: Sending = {}): Promise<Tried> {
    const { ids = 'stranger', invention = this.#invention, put, id = this.#ids[0] ?? 1 } = how;
    const filled = fill(parameters, (name, isOwnId) => {
      if (isOwnId || isPersonId(name)) return this.given.actors.userId(ids) ?? 0;
      return isId(name) ? id : invention.value(name);
    });
    const body = put ? replaceAt(filled, put.path, put.text) : filled;
    return send ? send(who, body) : this.given.actors.send(who, 'POST', `/api/functions/${slug}`, body);
  }

  #holds = ({ status, text }: Tried) => status < 400 && text.includes(this.#invention.mark);

  /** The personal fields whose invented values are in a text. */
  #personalIn(text: string): string[] {
    const { mark } = this.#invention;
    const found = [...text.matchAll(/"(\w+)"\s*:\s*"([^"]*)"/g)];
    return [
      ...new Set(
        found
          .filter(([, name = '', value = '']) => isPersonal(name) && value.includes(mark))
          .map(([, name = '']) => name),
      ),
    ];
  }

  #report(
    kind: 'function-reads' | 'function-changes' | 'function-sql',
    call: Call,
    who: Who,
    tried: Tried,
    fields: string[],
  ) {
    const proof = { ...tried, text: shorten(tried.text) };
    this.given.findings.add(kind, {
      name: call.name,
      fields: fields.join(', '),
      who: who === 'nobody' ? 'nobody' : 'stranger',
      proof,
    });
  }
}
