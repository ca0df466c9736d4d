/** Makes the name of a page from what somebody said they want to make. */

/** Characters of a name as people see them. Longer names do not fit into a heading. */
const MAX_NAME_LETTERS = 60;
/** How much of a wish is read. The rest would be cut off anyway. */
const MAX_READ = 600;

/** How people begin: what they want, then what kind of thing it is, then whose it is. None of it is a name. */
const BEGINNINGS = [
  /^(?:please|bitte|hi|hello|hallo|hey)[\s,!]+/i,
  /^(?:can|could|would) (?:you|we|i) (?:please )?/i,
  /^(?:kannst|könntest) du (?:mir |uns )?(?:bitte )?/i,
  /^(?:i|we)(?:['’]d like| would like| want| need|['’]m looking for| am looking for) (?:you )?(?:to (?:make|build|create|have|get) )?/i,
  /^(?:ich|wir) (?:möchten?|will|wollen|brauchen?|hätten? gern(?:e)?|suchen?) /i,
  /^(?:make|build|create|give|design|write|publish)(?: me| us)? (?=\S)/i,
  /^(?:mache?|baue?|erstelle?|gib|schreibe?)(?: mir| uns)?(?: bitte)? (?=\S)/i,
  /^(?:an?|the|some|one|eine[nrms]?|ein|der|die|das|den)\s+/i,
  /^(?:(?:simple|small|little|nice|new|own|cool|pretty|one|einfache|kleine|schöne|neue|eigene)[nrs]?\s+)+(?=\S)/i,
  /^(?:web ?)?(?:page|site|website|app|homepage|webpage|seite|webseite|internetseite)\s+(?!(?:about|über) (?:me|us|mich|uns)$)(?:for|about|of|on|where|that|to|with|für|über|zum?|zur|von|mit|auf der|wo)\s+/i,
  /^(?:web ?)?(?:page|site|website|homepage|webpage|seite|webseite)\s+(?=(?:about|über) (?:me|us|mich|uns)$)/i,
  /^(?:my|our|meine[nrms]?|mein|unsere?[nrms]?|unser)\s+/i,
];

/** Words that are dropped from the end of a name, one after the other. */
const MAX_DROPPED = 10;

/** What follows says more about the page, and is not part of its name. */
const REST =
  /(?:\s+(?:with|where|which|so that|including|because|mit|wo|damit|weil|inklusive)|,\s*(?:that|die|der|das|in der|auf der|mit der))\s.*$/iu;
/** Names up to this length are not shortened to one word. */
const SHORT = 30;

/** Words that say nothing about a page. */
const EMPTY_NAME =
  /^(?:(?:web ?)?(?:page|site|website|webpage|homepage|app|seite|webseite|internetseite)(?: (?:for|about|für|über))?|my|our|me|meine?|unsere?)$/i;

/** A name must not end like this. Each run of signs is tried once, from its start, so that many of them take no time. */
const DANGLING =
  /(?<![\s,;:–—-])[\s,;:–—-]+(?:for|with|about|of|on|in|at|to|and|or|my|our|the|an?|from|by|für|mit|über|von|am|im|auf|zum?|zur|und|oder|meine[nrms]?|mein|unsere?|unser|der|die|das|eine?[nrm]?|ein)$/iu;

/** Occasions that belong to somebody, such as “birthday party for Mia”. */
const ENGLISH_OCCASION =
  /^((?:\p{L}+ )?(?:party|birthday|wedding|shower|graduation|anniversary|celebration)) (?:for|of) (\p{Lu}\p{L}+)(?!\s+(?:and|&)\s)(?=\s|$)/u;
const GERMAN_OCCASION =
  /^((?:\p{L}+ )?\p{L}*(?:[Pp]arty|[Gg]eburtstag|[Hh]ochzeit|[Ff]eier|[Ff]est|[Jj]ubiläum|[Aa]bschied)) (?:für|von) (\p{Lu}\p{L}+)(?!\s+(?:und|&)\s)(?=\s|$)/u;

/** The name of a page for a wish; empty if there is none in it, for example in punctuation. */
export function nameWish(wish: string): string {
  const words = clean(wish.slice(0, MAX_READ).toWellFormed());
  const sentence = words.split(/(?<=\S{2})[.!?](?=\s|$)|[\n;]/u).find((part) => hasWords(part)) ?? '';
  const name = trimEnd(cut(possess(dropRest(dropBeginnings(sentence.trim())))));
  return EMPTY_NAME.test(name) ? '' : capitalize(name);
}

/** One line without characters that are invisible or change the direction of what follows. */
function clean(text: string): string {
  return (
    text
      .replace(/[^\S\n]+/gu, ' ')
      // A joiner is part of many emoji.
      .replace(/(?!\u200d)[\p{Cc}\p{Cf}]/gu, (sign) => (sign === '\n' ? sign : ''))
      .trim()
  );
}

const hasWords = (text: string) => /[\p{L}\p{N}\p{Extended_Pictographic}]/u.test(text);

function dropBeginnings(text: string): string {
  let rest = text;
  for (const beginning of BEGINNINGS) {
    const shorter = rest.replace(beginning, '');
    if (hasWords(shorter)) rest = shorter;
  }
  return rest;
}

function dropRest(text: string): string {
  const shorter = trimEnd(text.replace(REST, ''));
  if (!hasWords(shorter) || EMPTY_NAME.test(shorter)) return text;
  return shorter.includes(' ') || text.length > SHORT ? shorter : text;
}

/** “Birthday party for Mia” as “Mia’s birthday party”. */
function possess(text: string): string {
  const english = text.match(ENGLISH_OCCASION);
  if (english) return `${english[2]}’s ${lower(english[1] ?? '')}`;
  const german = text.match(GERMAN_OCCASION);
  if (!german) return text;
  const [, occasion = '', name = ''] = german;
  return /[sxzß]$/i.test(name) ? `${name}’ ${occasion}` : `${name}s ${occasion}`;
}

const lower = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);

/** The first characters of a text, up to the end of a word if there is one. */
function cut(text: string): string {
  const letters = [...new Intl.Segmenter().segment(text)].map(({ segment }) => segment);
  if (letters.length <= MAX_NAME_LETTERS) return text;
  const start = letters.slice(0, MAX_NAME_LETTERS).join('');
  if (letters[MAX_NAME_LETTERS] === ' ') return start;
  const space = start.lastIndexOf(' ');
  return space > start.length / 2 ? start.slice(0, space) : start;
}

function trimEnd(text: string): string {
  let rest = text.trim();
  for (let dropped = 0; dropped < MAX_DROPPED; dropped++) {
    const shorter = rest.replace(/(?<![\s,;:.!?–—-])[\s,;:.!?–—-]+$/u, '').replace(DANGLING, '');
    if (shorter === rest || !hasWords(shorter)) return rest;
    rest = shorter;
  }
  return rest;
}

function capitalize(text: string): string {
  const [first = ''] = text;
  return first.toLocaleUpperCase() + text.slice(first.length);
}
