import { phrase, type Text } from '../rules/texts/fill.ts';
import type { FindingKind, Severity } from './kinds.ts';

interface FindingWords {
  severity: Severity;
  title: Text;
  why: Text;
  fix: Text;
}

/** What each finding means, in words for people who do not write programs. */
export const FINDING_WORDS: Record<FindingKind, FindingWords> = {
  'others-changed': {
    severity: 'high',
    title: phrase('Anyone who is logged in can change what others wrote in {name}'),
    why: phrase(
      'The page shows the button to change only to some people, but the service lets everyone do it: a request is enough.',
    ),
    fix: phrase('Set the rule update of {name} to author, member or owner.'),
  },
  'others-deleted': {
    severity: 'high',
    title: phrase('Anyone who is logged in can delete what others wrote in {name}'),
    why: phrase(
      'The page shows the button to delete only to some people, but the service lets everyone do it: a request is enough.',
    ),
    fix: phrase('Set the rule delete of {name} to author, member or owner.'),
  },
  'personal-data': {
    severity: 'high',
    title: phrase('Others can read the {fields} of everyone in {name}'),
    why: phrase('Whoever opens the page can list all records, also if the page does not show them.'),
    fix: phrase('Set the rule read of {name} to author or owner, or let people send this with a form.'),
  },
  counter: {
    severity: 'medium',
    title: phrase('Anyone who is logged in can set {fields} in {name} to any number'),
    why: phrase('The page adds one at a time, but a request can set any value in the records of others.'),
    fix: phrase('Keep one record for each person and count them, or count in a function.'),
  },
  'stored-script': {
    severity: 'high',
    title: phrase('What one person writes into {name} runs as a program for everyone who opens the page'),
    why: phrase(
      'The page puts the text into its HTML as it is. The program can do on the page what its visitor can do there.',
    ),
    fix: phrase('Show texts with textContent, or escape them before they become HTML.'),
  },
  'function-reads': {
    severity: 'high',
    title: phrase('The function {name} gives others what one person entered'),
    why: phrase('It answers by the ids or names in the request, and does not check who asks.'),
    fix: phrase(
      'Compare the person who asks (the header x-quire-user-id) with the owner of the data before answering.',
    ),
  },
  'function-changes': {
    severity: 'high',
    title: phrase('The function {name} lets others change or delete what one person made'),
    why: phrase(
      'Only the page checks who may do this. The function does it for everyone who sends the request.',
    ),
    fix: phrase(
      'Check in the function who asks (the headers x-quire-user-id and x-quire-team-role) before changing something.',
    ),
  },
  'function-sql': {
    severity: 'high',
    title: phrase('A quote in {fields} becomes part of an SQL statement in the function {name}'),
    why: phrase(
      'The text is put into the statement. With the right text, everyone can read, change and delete all tables.',
    ),
    fix: phrase('Use env.DB.prepare("… WHERE x = ?").bind(value) in place of text that is put together.'),
  },
  'function-data': {
    severity: 'high',
    title: phrase('The function {name} gives others what the rules of {fields} keep from them'),
    why: phrase(
      'A function reads the data of its page with the rights of the owner, and answers everyone who calls it.',
    ),
    fix: phrase(
      'Read with env.DATA.as(request), which has the rights of the person who asks, or leave out personal data.',
    ),
  },
  'form-inbox': {
    severity: 'high',
    title: phrase('Others can read what people send with the form {name}'),
    why: phrase(
      'People write to the owner with a form. Something answers everyone with these messages: {fields}.',
    ),
    fix: phrase('Check in the function who asks before it returns messages, or show only what is public.'),
  },
  'secret-in-page': {
    severity: 'high',
    title: phrase('There is {fields} in the page, which everyone can read'),
    why: phrase(
      'The source of a page is sent to every visitor. Whoever has the key can use it at your cost.',
    ),
    fix: phrase(
      'Revoke the key, keep the new one as a secret of a function, and call the function from the page.',
    ),
  },
  'password-in-page': {
    severity: 'high',
    title: phrase('The page compares a password that everyone can read in its source'),
    why: phrase('The source of a page is sent to every visitor, so the password protects nothing.'),
    fix: phrase(
      'Limit the page to people or a team, use rules of collections, or check the password in a function.',
    ),
  },
  'private-file': {
    severity: 'high',
    title: phrase('The file {name} of the page can be read by everyone, and looks private'),
    why: phrase(
      'Files beside a page are sent to everyone who can see the page, also if no link leads to them.',
    ),
    fix: phrase(
      'Remove the file from the page. Keep data in collections with rules, or in a database of a function.',
    ),
  },
  'no-rules': {
    severity: 'question',
    title: phrase('Is it meant that {fields} in {name}?'),
    why: phrase('The collection has no rules, so the kind of page decides.'),
    fix: phrase('Set rules for {name} if it is not meant so.'),
  },
};

/** Keys and tokens of services, as findings call them. */
export const SECRET_NAMES = {
  privateKey: phrase('a private key'),
  openai: phrase('an OpenAI key'),
  stripe: phrase('a Stripe secret key'),
  aws: phrase('an AWS key'),
  github: phrase('a GitHub token'),
  google: phrase('a Google key'),
  slack: phrase('a Slack token'),
  own: phrase('a token of this service'),
  database: phrase('a database address with its password'),
};

/** What a collection without rules lets happen. */
export const EVERYONE_READS = phrase('everyone can read all records');

/** Why something was not tried. */
export const LEFT_REASONS = {
  noBrowser: phrase('stored scripts: there is no browser on this server'),
  notOpened: phrase('stored scripts: the page could not be opened in a browser'),
  collection: phrase('the collection {name}: it took none of the invented records'),
  function: phrase('the function {name}: it refused every invented call that adds something'),
  calls: phrase('the function {name}: the page does not show what it sends to it'),
  script: phrase('stored scripts in {name}: it takes only texts that are shorter or have another form'),
  over: phrase('the rest: the attack has used up its time or its requests'),
};

/** A sentence about what was not tried, as the report has it, with its name apart so that it can be translated. */
export function readReason(said: string): Text<string> {
  for (const { text } of Object.values(LEFT_REASONS)) {
    const [before = '', after] = text.split('{name}');
    if (after !== undefined && said.startsWith(before) && said.endsWith(after))
      return { text, values: { name: said.slice(before.length, said.length - after.length) } };
  }
  return { text: said };
}
