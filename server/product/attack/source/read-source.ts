import { createHash } from 'node:crypto';
import { SECRET_NAMES } from '../../../../contract/attack/words.ts';
import type { Invention } from './invent.ts';
import { fill, OWN_ID, type Parameters, toKey } from './parameters.ts';
import { nameAll } from './source-names.ts';

/** What the source of a page says about itself, without running it. */

/** Letters of source that are read. */
const MAX_SOURCE = 512 * 1024;
const MAX_LITERAL = 4_000;
const MAX_FOUND = 60;

export interface SourceCall {
  /** The collection, or the function. */
  name: string;
  parameters: Parameters;
}

export interface Source {
  text: string;
  /** Records that the page adds. */
  creates: SourceCall[];
  /** Collections that the page names. */
  collections: string[];
  calls: SourceCall[];
  /** Forms whose messages go to the owner. */
  forms: SourceCall[];
}

const CREATE = /(?:Solo|Team|Social)Data\.(?:create|add|put|save)\(\s*["'`]([\w-]{1,64})["'`]\s*,\s*/g;
/** `can('update', …)` names what is done. */
const COLLECTION = /(?:Solo|Team|Social)Data\.(?!can\()\w+\(\s*["'`]([\w-]{1,64})["'`]/g;
const CALL = /PageFunctions\.(?:call|live)\(\s*["'`]([\w-]{1,100})["'`]\s*(,\s*)?/g;
const SUBMIT = /PageForms\.submit\(\s*["'`]([\w-]{1,64})["'`]\s*,\s*/g;
const FORM = /<form\b[^>]{0,300}?data-quire-form=["']([\w-]{1,64})["']/g;
const FIELD = /<(?:input|textarea|select)\b[^>]{0,300}?\sname=["']([A-Za-z]\w{0,60})["']/g;
const MAX_FORM = 8_000;
const FETCH = /\/api\/functions\/([\w-]{1,100})["'`][\s\S]{0,200}?JSON\.stringify\(\s*/g;

export function readSource(texts: readonly string[]): Source {
  const written = texts.join('\n').slice(0, MAX_SOURCE);
  const text = nameAll(written);
  const read = (pattern: RegExp) =>
    [...text.matchAll(pattern)].slice(0, MAX_FOUND).map((match) => ({
      name: match[1] ?? '',
      parameters: readObject(text, match.index + match[0].length),
    }));
  return {
    text: written,
    creates: read(CREATE),
    collections: [...new Set([...text.matchAll(COLLECTION)].map(([, name = '']) => name))].slice(
      0,
      MAX_FOUND,
    ),
    calls: unique([...read(CALL), ...read(FETCH)]),
    forms: unique([...read(SUBMIT), ...readForms(written)]),
  };
}

const readForms = (text: string): SourceCall[] =>
  [...text.matchAll(FORM)].slice(0, MAX_FOUND).map(({ index, 1: name = '' }) => {
    const [body = ''] = text.slice(index, index + MAX_FORM).split('</form>', 1);
    const parameters = new Map([...body.matchAll(FIELD)].map(([, field = '']) => [field, undefined]));
    return { name, parameters };
  });

function unique(calls: SourceCall[]): SourceCall[] {
  const seen = new Set<string>();
  return calls.filter(({ name, parameters }) => {
    const key = `${name} ${toKey(parameters)}`;
    return !seen.has(key) && seen.add(key);
  });
}

/** The keys of an object literal that begins at a place, with the values that are literals. */
export function readObject(text: string, at: number): Parameters {
  const found: Parameters = new Map();
  if (text[at] !== '{') return found;
  let depth = 0;
  let start = at + 1;
  let quote = '';
  for (let i = at; i < Math.min(text.length, at + MAX_LITERAL); i++) {
    const letter = text.charAt(i);
    if (quote) {
      if (letter === '\\') i++;
      else if (letter === quote) quote = '';
    } else if (`"'\``.includes(letter)) quote = letter;
    else if ('{[('.includes(letter)) depth++;
    else if ('}])'.includes(letter)) depth--;
    if (!quote && ((letter === ',' && depth === 1) || depth === 0)) {
      addEntry(found, text.slice(start, i).trim());
      start = i + 1;
      if (depth === 0) break;
    }
  }
  return found;
}

/** `user.id`, `me().id`, `PageUser.current()?.id`. */
const VISITOR_ID =
  /^(?:[\w$]+(?:\(\))?\??\.)*(?:me|user|visitor|current|self|(?:get)?currentUser|myself)(?:\(\))?\??\.id$/i;

function addEntry(found: Parameters, entry: string): void {
  const [, key, value] = /^["']?([A-Za-z_$][\w$]*)["']?\s*(?::\s*([\s\S]+))?$/.exec(entry) ?? [];
  if (key === undefined) return;
  const literal = value?.trim();
  if (literal !== undefined && /^(["'`])[^"'`$]*\1$/.test(literal)) found.set(key, literal.slice(1, -1));
  else if (literal !== undefined && /^-?\d+(\.\d+)?$/.test(literal)) found.set(key, Number(literal));
  else if (literal === 'true' || literal === 'false') found.set(key, literal === 'true');
  else if (literal?.startsWith('{')) found.set(key, readObject(literal, 0));
  else if (literal !== undefined && VISITOR_ID.test(literal)) found.set(key, OWN_ID);
  else found.set(key, undefined);
}

/** A body with what is written in the call, and invented values for the rest. */
export const fillIn = (parameters: Parameters, invention: Invention): Record<string, unknown> =>
  fill(parameters, (name) => invention.value(name));

/** Keys and tokens of services, as they look. */
const SECRETS: Array<[string, RegExp]> = [
  [SECRET_NAMES.privateKey.text, /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----/],
  [SECRET_NAMES.openai.text, /\bsk-(?:proj-)?[A-Za-z0-9_-]{20,}/],
  [SECRET_NAMES.stripe.text, /\b[rs]k_live_[A-Za-z0-9]{16,}/],
  [SECRET_NAMES.aws.text, /\bAKIA[0-9A-Z]{16}\b/],
  [SECRET_NAMES.github.text, /\bgh[pousr]_[A-Za-z0-9]{30,}/],
  [SECRET_NAMES.google.text, /\bAIza[A-Za-z0-9_-]{30,}/],
  [SECRET_NAMES.slack.text, /\bxox[abprs]-[A-Za-z0-9-]{10,}/],
  [SECRET_NAMES.own.text, /\bqr[adr]?_[A-Za-z0-9_-]{20,}/],
  [SECRET_NAMES.database.text, /\b(?:postgres(?:ql)?|mysql|mongodb(?:\+srv)?):\/\/[^\s:"'`/]+:[^\s@"'`]+@/],
];

/** Secrets in a text. The whole secret is not repeated. */
export function findSecrets(text: string): Array<{ what: string; shown: string }> {
  return SECRETS.flatMap(([what, pattern]) => {
    const found = pattern.exec(text)?.[0];
    return found ? [{ what, shown: `${found.slice(0, 8)}…` }] : [];
  });
}

/** A comparison of a password with one that is in the script. */
const PASSWORD =
  /\b(?:\w*(?:pass(?:word|wort|code)?|pwd|pin|adminKey|secret))(?:\.value|\.trim\(\)|\)|\s)*\s*={2,3}\s*(["'`])([^"'`\s]{3,})\1|(["'`])([^"'`\s]{3,})\3\s*={2,3}\s*\w*(?:pass(?:word|wort)?|pwd|pin)\b|(?:const|let|var)\s+\w*(?:ADMIN_?)?(?:PASS(?:WORD|CODE)?|password|adminPass|PIN)\w*\s*=\s*(["'`])([^"'`\s]{3,})\5|prompt\([^)]*\)\s*={2,3}\s*(["'`])([^"'`\s]{3,})\7/i;

export const findPassword = (text: string): string | undefined => PASSWORD.exec(text)?.[0];

/** Whether a script decides who may do something: only in the browser, where everyone can leave that out. */
const CLIENT_CHECK = new RegExp(
  [
    /\b(?:is_?Admin|isOwner|isAuthor|isMine|canEdit|canDelete|isTeacher|is_?Moderator)\b/,
    /\.(?:author|user|owner|creator|created_?By)(?:_?id)?(?:\??\.(?:id|username|name))?\s*[!=]==?(?!=|\s*(?:null|undefined|''|""))/,
    /[!=]==?\s*(?:this\.|state\.)?(?:me|user|visitor|currentUser)\??\.(?:id|username|name)/,
    /role\s*={2,3}\s*["']/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
);

export const hasClientCheck = (text: string) => CLIENT_CHECK.test(text);

/** Where a text becomes the address of a link. */
const LINK_SINK = /\.href\s*=|\bhref:|href=\\?["']?\$\{|href=\\?["']?["'`]\s*\+|["']href["']\s*,|\{\s*href\b/;

export const hasLinkSink = (text: string) => LINK_SINK.test(text);

/** Where a text becomes HTML. Without any of these, a text cannot become a script. */
const SINK =
  /innerHTML|outerHTML|insertAdjacentHTML|document\.write|srcdoc|dangerouslySetInnerHTML|v-html|x-html|\{@html|\.html\(|createContextualFragment|setHTMLUnsafe|eval\(|new Function\(/;

export const hasSink = (text: string) => SINK.test(text);

/** Names a finding: the next attack gives the same key to the same finding. */
export const makeKey = (...parts: string[]) =>
  createHash('sha256').update(parts.join('\0')).digest('hex').slice(0, 16);
