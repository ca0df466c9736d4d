/** A package that a function uses, and what the function responds. */
export interface PackageCase {
  /** What the case is about: the name of the package, and more if it has several cases. */
  name: string;
  code: string;
  /** The JSON or text of the response. */
  expected: unknown;
  files?: Record<string, string>;
  /** Whether the function has a database. */
  hasDatabase?: boolean;
}

/** A case whose handler has this body. `input` has the addresses of servers that packages connect to. */
export function use(name: string, imports: string, body: string, expected: unknown): PackageCase {
  const code = `${imports}
export default {
  async fetch(request, env) {
    const input = await request.json();
    ${body}
  },
};`;
  return { name, code, expected };
}

/** A case that responds with the value of an expression. */
export const evaluate = (name: string, imports: string, expression: string, expected: unknown) =>
  use(name, imports, `return Response.json(${expression});`, expected);
