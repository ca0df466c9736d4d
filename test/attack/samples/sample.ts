import type { FindingKind } from '../../../contract/attack/kinds.ts';

/** A page as language models write them, with the holes that are known, or none. */
export interface Sample {
  name: string;
  mode: 'page' | 'solo_app' | 'team_app' | 'social_app';
  html: string;
  /** Schemas by collection. */
  schemas?: Record<string, object>;
  /** Functions by slug. */
  functions?: Record<string, string>;
  /** The arguments of functions that the page offers to agents, by slug. */
  agentFunctions?: Record<string, object>;
  files?: Record<string, string>;
  holes: FindingKind[];
  /** The attack was not made with this page: it was written before the attack was first measured with it. */
  holdout?: true;
}

/** A whole document. */
export const html = (title: string, body: string, script: string) =>
  `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title></head><body><h1>${title}</h1>${body}<script type="module">\n${script}\n</script></body></html>`;

/** A function with a table, whose `handle` has the request's JSON as `body` and the visitor's id as `me`. */
export const withTable = (table: string, handle: string) => `
export default {
  async fetch(request, env) {
    const body = await request.json();
    const me = request.headers.get('x-quire-user-id');
    await env.DB.exec(${JSON.stringify(`CREATE TABLE IF NOT EXISTS ${table}`)});
    ${handle}
    return Response.json({ error: 'unknown action' }, { status: 400 });
  },
};`;

export const field = { type: 'string', maxLength: 500 };
