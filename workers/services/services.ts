/** The services in `env`. Each export makes one of them: `SERVICE_BINDINGS` names both. */
import { ask, type Inner, service } from './ask.ts';

export { ai } from './ai.ts';
export { data } from './data.ts';
export { live } from './live.ts';
export { queue } from './queue.ts';

/** `env.MAIL`: mail to the owner of the function's page, and to its team. */
export function mail(inner: Inner): object {
  return Object.freeze({
    async send(letter: object): Promise<void> {
      await ask(inner, 'mail', 'MAIL.send', { ...letter });
    },
  });
}

/** `env.FORMS`: the messages that visitors sent with the forms of the function's page. */
export function forms(inner: Inner): object {
  return Object.freeze({
    list: async (name: unknown, query: unknown = {}) =>
      (await ask(inner, 'forms', 'FORMS.list', { name, query })).json(),
  });
}

/** `env.TEAM`: the people of the page's team. */
export function team(inner: Inner): object {
  return Object.freeze({
    list: async () => (await ask(inner, 'team', 'TEAM.list', {})).json(),
  });
}

/** `env.FUNCTIONS`: the other functions of the same owner. */
export function functions(inner: Inner): object {
  return service({
    async call(slug: unknown, body: unknown = {}): Promise<unknown> {
      const response = await ask(inner, 'functions', 'FUNCTIONS.call', { slug, body });
      const text = await response.text();
      try {
        return JSON.parse(text) as unknown;
      } catch {
        throw new Error(`FUNCTIONS.call: The function ${slug} did not return JSON.`);
      }
    },
  });
}
