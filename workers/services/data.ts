import { VISIT_HEADER } from '../protocol.ts';
import { ask, type Inner, service } from './ask.ts';

/** `env.DATA`: records of the page that the function belongs to, with the owner's rights or those of a visitor. */
export function data(inner: Inner): object {
  return service({
    ...collections(inner, undefined),
    as(request: Request): object {
      if (!(request instanceof Request)) throw new TypeError('DATA.as takes the request of the call');
      return Object.freeze(collections(inner, request.headers.get(VISIT_HEADER) ?? ''));
    },
  });
}

/** `visit` names the visitor; empty for a caller who is not a visitor of the page. */
function collections(inner: Inner, visit: string | undefined) {
  const open = (type: string) => (collection: unknown) => {
    const run = async (op: string, more: object) => {
      const question = { type, collection, op, ...more, ...(visit !== undefined && { visit }) };
      const response = await ask(inner, 'data', `DATA.${type}.${op}`, question);
      return response.status === 204 ? undefined : response.json();
    };
    return Object.freeze({
      list: (query: unknown = {}) => run('list', { query }),
      count: (query: unknown = {}) => run('count', { query }),
      get: (id: unknown) => run('get', { id }),
      create: (record: unknown) => run('create', { data: record }),
      update: (id: unknown, record: unknown) => run('update', { id, data: record }),
      replace: (id: unknown, record: unknown) => run('replace', { id, data: record }),
      delete: (id: unknown) => run('delete', { id }),
    });
  };
  return { team: open('team'), social: open('social') };
}
