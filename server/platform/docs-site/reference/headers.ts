/** The headers worth knowing of, by name. */
const HEADERS = {
  'X-Request-Id': { type: 'string', description: 'Joins the answer to the lines of the server’s log.' },
  'Retry-After': { type: 'integer', description: 'Seconds to wait before the next try.' },
  'RateLimit-Limit': { type: 'integer', description: 'How many requests fit into the window.' },
  'RateLimit-Remaining': { type: 'integer', description: 'How many of them are left.' },
  'RateLimit-Reset': { type: 'integer', description: 'Seconds until the window ends.' },
  'WWW-Authenticate': { type: 'string', description: 'The kind of credentials that is missing or wrong.' },
  'Set-Cookie': { type: 'string', description: 'The session cookie.' },
  'Content-Disposition': { type: 'string', description: 'The name to save the file under.' },
  ETag: { type: 'string', description: 'Names this version; send it back as If-None-Match.' },
  Location: { type: 'string', description: 'Where to go instead.' },
} as const;

/** Every answer has it. */
const ALWAYS = 'X-Request-Id';

const BY_STATUS: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'],
  503: ['Retry-After'],
};

/** The headers of an answer, for its description. */
export function headersOf(
  status: number | 'default',
  further: readonly string[] = [],
): Record<string, { $ref: string }> {
  const names = [ALWAYS, ...(BY_STATUS[Number(status)] ?? []), ...further];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** What the references of `headersOf` lead to. */
export function headerComponents(): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(HEADERS).map(([name, { description, type }]) => [name, { description, schema: { type } }]),
  );
}
