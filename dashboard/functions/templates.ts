import { t } from '../texts/index.ts';

/** Templates for new functions. */

export interface Template {
  name: string;
  title: string;
  about: string;
  needsDatabase: boolean;
  code: string;
  /** Further modules, by their path. */
  files?: Record<string, string>;
}

const HELLO = `export default {
  async fetch(request) {
    const { name = 'world' } = await request.json().catch(() => ({}));
    console.log('greeting', name);
    return Response.json({ success: true, data: \`Hello, \${name}\` });
  },
};
`;

const NOTES = `export default {
  async fetch(request, env) {
    await env.DB.exec('CREATE TABLE IF NOT EXISTS notes (id INTEGER PRIMARY KEY, text TEXT NOT NULL, created_at TEXT NOT NULL)');
    const { action = 'list', text } = await request.json().catch(() => ({}));

    if (action === 'add') {
      if (typeof text !== 'string' || !text.trim()) {
        return Response.json({ success: false, error: 'text is required' }, { status: 400 });
      }
      const { meta } = await env.DB.prepare('INSERT INTO notes (text, created_at) VALUES (?, ?)')
        .bind(text, new Date().toISOString())
        .run();
      return Response.json({ success: true, data: { id: meta.last_row_id } });
    }

    const { results } = await env.DB.prepare('SELECT * FROM notes ORDER BY id DESC LIMIT 100').all();
    return Response.json({ success: true, data: results });
  },
};
`;

const FETCH = `export default {
  async fetch(request) {
    const { url = 'https://example.com/' } = await request.json().catch(() => ({}));
    const response = await fetch(url, { headers: { accept: 'text/html' } });
    if (!response.ok) {
      return Response.json({ success: false, error: \`\${url} responded with \${response.status}\` }, { status: 502 });
    }
    const [, title = null] = /<title[^>]*>([^<]*)/i.exec(await response.text()) ?? [];
    return Response.json({ success: true, data: { url, title } });
  },
};
`;

const TYPED = `import { greet } from './lib/greet.ts';

interface Env {
  /** A secret. Without it, the greeting is Hello. */
  GREETING?: string;
}

interface Body {
  name?: string;
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { name = 'world' } = await request.json<Body>().catch((): Body => ({}));
    return Response.json({ success: true, data: greet(name, env.GREETING) });
  },
};
`;

const GREET = `export function greet(name: string, greeting = 'Hello'): string {
  return \`\${greeting}, \${name}\`;
}
`;

const EMPTY = `export default {
  async fetch(request, env) {
    return Response.json({ success: true, data: null });
  },
};
`;

const HELLO_TEMPLATE: Template = {
  name: 'hello',
  title: t('Hello'),
  about: t('Reads a name from the request and returns a greeting.'),
  needsDatabase: false,
  code: HELLO,
};

export const TEMPLATES: Template[] = [
  HELLO_TEMPLATE,
  {
    name: 'notes',
    title: t('JSON API with a database'),
    about: t('Adds notes to a table and lists them.'),
    needsDatabase: true,
    code: NOTES,
  },
  {
    name: 'fetch',
    title: t('Fetch another site'),
    about: t('Fetches a web page and returns its title.'),
    needsDatabase: false,
    code: FETCH,
  },
  {
    name: 'typescript',
    title: t('TypeScript with two files'),
    about: t('A typed request handler that imports a function from another file.'),
    needsDatabase: false,
    code: TYPED,
    files: { 'lib/greet.ts': GREET },
  },
  {
    name: 'empty',
    title: t('Empty'),
    about: t('Only a request handler.'),
    needsDatabase: false,
    code: EMPTY,
  },
];

export const findTemplate = (name: string | undefined): Template =>
  TEMPLATES.find((template) => template.name === name) ?? HELLO_TEMPLATE;
