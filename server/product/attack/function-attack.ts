import type { Actors, Who } from './actors.ts';
import type { Findings } from './findings.ts';
import { shorten, type Tried } from './send.ts';
import { Invention, isId, isPersonal, isPersonId } from './source/invent.ts';
import { hasClientCheck, type Parameters, type Source } from './source/read-source.ts';

const MAX_CALLS = 24;
const SQL_ERROR = /syntax error|unrecognized token|SQLITE_ERROR|near "/i;
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

/** Calls every function that the page calls: as one person, then as others with the first one's ids, and with a quote. */
export async function attackFunctions(
  actors: Actors,
  functions: readonly AttackedFunction[],
  source: Source,
  findings: Findings,
): Promise<void> {
  for (const target of functions) {
    const calls = source.calls
      .filter(({ name }) => name === target.name)
      .map(({ parameters }) => ({ ...target, parameters }))
      .slice(0, MAX_CALLS);
    if (calls.length > 0) await attackFunction(actors, calls, source, findings);
  }
}

export async function attackFunction(
  actors: Actors,
  calls: Call[],
  source: Source,
  findings: Findings,
): Promise<void> {
  const [adding, others] = split(calls);
  const reading = others.filter((each) => !isChanging(each));
  const session = new Session({ actors, findings, isGuarded: hasClientCheck(source.text), adding, reading });
  // What is added first gives the ids for what comes after.
  for (const call of adding) await session.prepare(call);
  for (const call of others) await session.prepare(call);
  for (const call of reading) await session.readAsOthers(call);
  for (const call of [...adding, ...others]) await session.quote(call);
  for (const call of others.filter(isChanging)) await session.changeAsOthers(call);
}

const isChanging = ({ parameters }: Call) =>
  [...parameters].some(([name, value]) => typeof value === 'string' && !isId(name) && CHANGES.test(value)) ||
  [...parameters.keys()].some((name) => /^(delete|remove)/i.test(name));

/** Calls without ids, and without words for changing: what they send is new. */
function split(calls: Call[]): [Call[], Call[]] {
  const isAdding = (call: Call) =>
    !isChanging(call) &&
    [...call.parameters].some(([name, value]) => value === undefined && !isReference(name));
  return [calls.filter(isAdding), calls.filter((call) => !isAdding(call))];
}

const isReference = (name: string) => isId(name) || isPersonId(name);

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
    const references = [...call.parameters].some(([name, value]) => value === undefined && isReference(name));
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
    if (!tellsApart(call.code)) return false;
    const own = await this.#send(who, { ...call, parameters: withoutReferences(call.parameters) }, who);
    return !this.#holds(own);
  }

  /** Whether others can change or delete what the first stranger made. */
  async changeAsOthers(call: Call): Promise<void> {
    if (!this.given.isGuarded && !tellsApart(call.code)) return;
    for (const who of ['nobody', 'other'] as const) {
      // Somebody may have deleted what was there, so begin with something new.
      this.#ids.length = 0;
      for (const each of this.given.adding) await this.prepare(each);
      const before = await this.#look();
      const tried = await this.#send(who, call);
      if (tried.status >= 400 || isRefusal(tried)) continue;
      if (before !== undefined && before === (await this.#look())) continue;
      return this.#report('function-changes', call, who, tried, []);
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
    for (const [name, value] of call.parameters) {
      if (value !== undefined) continue;
      const [plain, one, two] = ['', "'", "''"].map((end) => `${this.#invention.mark}${end}`);
      const normal = await this.#send('stranger', call, 'stranger', { [name]: plain });
      if (SQL_ERROR.test(normal.text) || normal.status >= 500) continue;
      const broken = await this.#send('stranger', call, 'stranger', { [name]: one });
      if (!(broken.status >= 500 || SQL_ERROR.test(broken.text))) continue;
      const doubled = await this.#send('stranger', call, 'stranger', { [name]: two });
      if (doubled.status < 500 && !SQL_ERROR.test(doubled.text))
        this.#report('function-sql', call, 'stranger', broken, [name]);
    }
  }

  #send(
    who: Who,
    { slug, parameters, send }: Call,
    ids: Who = 'stranger',
    more: object = {},
  ): Promise<Tried> {
    const entries = [...parameters].map(([name, value]) => [name, value ?? this.#value(name, ids)]);
    const body = { ...Object.fromEntries(entries), ...more };
    return send ? send(who, body) : this.given.actors.send(who, 'POST', `/api/functions/${slug}`, body);
  }

  #value(name: string, ids: Who): unknown {
    if (isPersonId(name)) return this.given.actors.userId(ids) ?? 0;
    if (isId(name)) return this.#ids[0] ?? 1;
    return this.#invention.value(name);
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

const tellsApart = (code: string) => /x-quire-user-(id|name)|x-quire-team-role/i.test(code);

const isRefusal = ({ text }: Tried) =>
  /forbidden|not allowed|unauthori[sz]ed|denied|verboten|log ?in|"(ok|success)"\s*:\s*false|"changes"\s*:\s*0|not (yours|found)|"error"/i.test(
    text,
  );

const withoutReferences = (parameters: Parameters): Parameters =>
  new Map([...parameters].filter(([name, value]) => value !== undefined || !isId(name)));

/** The ids in an answer, first those of things that hold the mark. */
function listIds(json: unknown, mark: string): Array<string | number> {
  const found: Array<{ id: string | number; isOwn: boolean }> = [];
  const visit = (value: unknown, depth: number): void => {
    if (depth > 6 || typeof value !== 'object' || value === null || found.length > 100) return;
    for (const [key, each] of Object.entries(value)) {
      const isScalar = typeof each === 'string' || typeof each === 'number';
      if (isScalar && isId(key)) found.push({ id: each, isOwn: JSON.stringify(value).includes(mark) });
      visit(each, depth + 1);
    }
  };
  visit(json, 0);
  return found.sort((a, b) => Number(b.isOwn) - Number(a.isOwn)).map(({ id }) => id);
}
