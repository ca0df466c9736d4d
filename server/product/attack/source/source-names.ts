/**
 * Rewrites a source so that calls name what they use: `const api = SocialData; api.create(ORDERS, order)` becomes
 * `SocialData.create('orders', { … })`. Programs and people write the same call in many ways; what cannot be followed
 * is left as it is.
 */

const OBJECTS = '(?:Solo|Team|Social)Data|Page(?:Functions|Forms)';
/** Letters that are read: this happens in the thread that serves requests. */
const MAX_READ = 128 * 1024;
const MAX_NAMES = 60;
const MAX_OBJECT = 2_000;
/** Letters that are written in place of names. */
const MAX_ADDED = 128 * 1024;

export function nameAll(text: string): string {
  const read = withAssigned(text.slice(0, MAX_READ));
  const named = withVariables(withNames(withAliases(read)), readFields(read));
  return named + listWrapped(named) + text.slice(MAX_READ);
}

const all = (pattern: RegExp, text: string) => [...text.matchAll(pattern)].slice(0, MAX_NAMES);
const word = (name: string) => name.replaceAll('$', '\\$');

/** `Object.assign({ action }, data)` becomes `{ action, ...data }`. */
const withAssigned = (text: string) =>
  text.replaceAll(
    /Object\.assign\(\s*\{([^{}]{0,200})\}\s*,\s*(\w+)\s*\)/g,
    (_, own: string, other: string) =>
      own.trim() ? `{ ${own.trim().replace(/,$/, '')}, ...${other} }` : `{ ...${other} }`,
  );

/** `const db = window.SocialData`, and `this.db = SocialData`. */
function withAliases(text: string): string {
  const pattern = new RegExp(
    `(?:(?:const|let|var)\\s+|(this\\.))(\\w+)\\s*=\\s*(?:window\\.)?(${OBJECTS})\\b(?!\\s*[.([])`,
    'g',
  );
  return all(pattern, text).reduce((source, [, owner = '', alias = '', object = '']) => {
    const used = new RegExp(`(?<![\\w$.'"])${owner.replace('.', '\\.')}${alias}\\.(?=\\w)`, 'g');
    return source.replaceAll(used, `${object}.`);
  }, text);
}

/** `const COLLECTION = 'orders'`, and `const names = { orders: 'orders' }`. */
function withNames(text: string): string {
  const constants = new Map(
    all(/(?:const|let|var)\s+(\w+)\s*=\s*["'`]([\w-]{1,100})["'`]/g, text).map(
      ([, name = '', value = '']) => [name, value],
    ),
  );
  for (const [, object = '', body = ''] of all(/(?:const|let|var)\s+(\w+)\s*=\s*\{([^{}]{1,600})\}/g, text))
    for (const [, key = '', value = ''] of all(/(\w+)\s*:\s*["'`]([\w-]{1,100})["'`]/g, body))
      constants.set(`${object}.${key}`, value);
  const call = new RegExp(`((?:${OBJECTS})\\.\\w+\\(\\s*)([A-Za-z_]\\w*(?:\\.\\w+)?)(?=\\s*[,)])`, 'g');
  return text.replaceAll(call, (whole, before: string, name: string) =>
    constants.has(name) ? `${before}'${constants.get(name)}'` : whole,
  );
}

/** The names of the fields of all forms that a script handles. */
function readFields(text: string): string {
  const names = all(
    /<(?:input|textarea|select)\b[^>]{0,300}?\s(?:name|id)=["']([A-Za-z_][\w-]{0,60})["'][^>]{0,300}>/g,
    text,
  )
    .filter(([tag]) => !/type=["'](?:submit|button|file|checkbox|radio|hidden|search)["']/i.test(tag))
    .map(([, name = '']) => name.replaceAll('-', '_'));
  return [...new Set(names)].join(', ');
}

/** `const order = { … }; create('orders', order)`, and `Object.fromEntries(new FormData(form))`. */
function withVariables(text: string, fields: string): string {
  const objects = new Map<string, string>();
  for (const match of all(
    /(?:const|let|var)\s+(\w+)\s*=\s*(\{|Object\.fromEntries\(|new FormData\()/g,
    text,
  )) {
    const [whole, name = '', start] = match;
    if (start !== '{') objects.set(name, `{ ${fields} }`);
    else objects.set(name, readBraces(text, match.index + whole.length - 1));
  }
  let left = MAX_ADDED;
  const put = (whole: string, written: string | undefined) => {
    if (!written || written.length > left) return whole;
    left -= written.length;
    return written;
  };
  const argument = new RegExp(
    `((?:${OBJECTS})\\.\\w+\\(\\s*["'\`][\\w-]+["'\`]\\s*,\\s*|JSON\\.stringify\\(\\s*)(\\w+|Object\\.fromEntries\\(\\s*new FormData\\([^)]*\\)\\s*\\))(?=\\s*\\))`,
    'g',
  );
  const replaced = text.replaceAll(argument, (whole, before: string, name: string) => {
    const object = name.startsWith('Object.') ? `{ ${fields} }` : objects.get(name);
    return put(whole, object && before + object);
  });
  // What an object takes over from another one.
  return replaced.replaceAll(/\.\.\.(\w+)\b(?!\s*[.([])/g, (whole, name: string) => {
    const inner = objects.get(name)?.slice(1, -1).trim();
    return put(whole, inner?.replace(/,$/, ''));
  });
}

function readBraces(text: string, at: number): string {
  let depth = 0;
  for (let i = at; i < Math.min(text.length, at + MAX_OBJECT); i++) {
    if (text[i] === '{') depth++;
    else if (text[i] === '}' && --depth === 0) return text.slice(at, i + 1);
  }
  return '{}';
}

/**
 * Calls through a function of the page: `const api = (action, data) => PageFunctions.call('shop', { action, ...data })`
 * with `api('add', { text })` is one with both.
 */
function listWrapped(text: string): string {
  const wrapper =
    /(?:function\s+(\w+)\s*\(|(?:const|let|var)\s+(\w+)\s*=\s*(?:async\s*)?\()([^()]{1,120})\)\s*(?:=>)?[\s\S]{0,160}?PageFunctions\.call\(\s*["'`]([\w-]+)["'`]\s*,\s*\{([^{}]{1,200})\}/g;
  const lines: string[] = [];
  let left = MAX_ADDED;
  for (const [, one, two, given = '', slug = '', body = ''] of all(wrapper, text)) {
    const names = given.split(',').map((each) => each.trim().split(/\s*=/)[0] ?? '');
    const called = new RegExp(
      `(?<![\\w.]|function\\s)${word(one ?? two ?? '')}\\(\\s*["'\`]([\\w-]+)["'\`]\\s*(,\\s*\\{)?`,
      'g',
    );
    for (const match of all(called, text)) {
      const [whole, action = '', opens] = match;
      const object = opens ? readBraces(text, match.index + whole.length - 1).slice(1, -1) : '';
      const entries = body.split(',').map((each) => {
        const entry = each.trim();
        if (entry === names[0]) return `${entry}: '${action}'`;
        if (entry === `...${names[1]}`) return object;
        if (entry === names[1]) return object && `${entry}: { ${object} }`;
        return new RegExp(`:\\s*${word(names[0] ?? '')}$`).test(entry)
          ? entry.replace(/:.*$/, `: '${action}'`)
          : entry;
      });
      const line = `PageFunctions.call('${slug}', { ${entries.filter(Boolean).join(', ')} });`;
      left -= line.length;
      if (left < 0) return `\n${lines.join('\n')}`;
      lines.push(line);
    }
  }
  return lines.length > 0 ? `\n${lines.join('\n')}` : '';
}
