/** What the previewed document says while it is edited. It is not trusted: everything is checked and bounded. */

/** Also in editing.client.js. */
export const MAX_TYPED = 20_000;

const KINDS = ['text', 'link', 'picture', 'field', 'box', 'script'] as const;
export type Kind = (typeof KINDS)[number];

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** What somebody has clicked. Only `id`, `index` and `text` decide what changes; the rest is for the eye. */
export interface Pick {
  kind: Kind;
  id: number;
  index: number;
  text: string;
  /** The link around it. */
  link: number;
  rect: Rect;
  color: string;
  background: string;
  /** The element with that background. */
  backgroundOf: number;
  fontSize: number;
  isBold: boolean;
  isTouch: boolean;
  isKey: boolean;
  /** The document lets the person type into it. */
  canType: boolean;
  /** Each line break of the text counts. */
  isPre: boolean;
}

export type Message =
  | { kind: 'pick'; pick: Pick }
  | { kind: 'text'; text: string }
  | { kind: 'end'; how: 'done' | 'cancelled' | 'save'; text: string }
  | { kind: 'rect'; rect: Rect }
  | { kind: 'at'; at: { kind: Kind; text: string } | undefined }
  | { kind: 'pong'; number: number };

const MAX_NUMBER = 1_000_000;
const MAX_SHOWN = 200;

export function readMessage(data: unknown): Message | undefined {
  const message = toObject(data);
  const has = (name: string) => Object.hasOwn(message, name);
  if (has('pick')) {
    const pick = readPick(toObject(message.pick));
    return pick && { kind: 'pick', pick };
  }
  if (has('end')) {
    const how = (['done', 'cancelled', 'save'] as const).find((each) => each === message.end);
    return how && isTyped(message.text) ? { kind: 'end', how, text: message.text } : undefined;
  }
  if (has('text')) return isTyped(message.text) ? { kind: 'text', text: message.text } : undefined;
  if (has('rect')) return { kind: 'rect', rect: readRect(message.rect) };
  if (has('at')) {
    const { kind, text } = toObject(message.at);
    const isGood = isKind(kind) && typeof text === 'string';
    return { kind: 'at', at: isGood ? { kind, text: text.slice(0, MAX_SHOWN) } : undefined };
  }
  return has('pong') ? { kind: 'pong', number: readNumber(message.pong) } : undefined;
}

function readPick(given: Record<string, unknown>): Pick | undefined {
  const { kind, text } = given;
  if (!isKind(kind) || !isTyped(text) || !Number.isSafeInteger(given.id)) return undefined;
  return {
    kind,
    text,
    id: readNumber(given.id),
    index: readNumber(given.index),
    link: readNumber(given.link),
    rect: readRect(given.rect),
    color: readColor(given.color),
    background: readColor(given.background),
    backgroundOf: readNumber(given.backgroundOf),
    fontSize: readNumber(given.fontSize),
    isBold: given.isBold === true,
    isTouch: given.isTouch === true,
    isKey: given.isKey === true,
    canType: given.canType === true,
    isPre: given.isPre === true,
  };
}

function readRect(value: unknown): Rect {
  const { x, y, width, height } = toObject(value);
  return { x: readNumber(x), y: readNumber(y), width: readNumber(width), height: readNumber(height) };
}

const toObject = (value: unknown) =>
  (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
const isKind = (value: unknown): value is Kind => (KINDS as readonly unknown[]).includes(value);
const isTyped = (value: unknown): value is string => typeof value === 'string' && value.length <= MAX_TYPED;
/** Computed colors have only these characters. */
const readColor = (value: unknown) =>
  typeof value === 'string' && /^[a-z]{2,10}\([\w\s.,%/+-]{1,80}\)$/i.test(value) ? value : '';
const readNumber = (value: unknown) =>
  typeof value === 'number' && Math.abs(value) <= MAX_NUMBER ? value : -1;
