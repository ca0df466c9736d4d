import { readFileSync } from 'node:fs';

/** An empty server: the same response to every request. Arguments: port, file with the body, headers as JSON. */
const [, , port, file = '', headersJson = '{}'] = process.argv;
const bytes = readFileSync(file);
const headers: Record<string, string> = JSON.parse(headersJson);

Bun.serve({ port: Number(port), hostname: '127.0.0.1', fetch: () => new Response(bytes, { headers }) });
