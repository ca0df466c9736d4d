import { formEndpoints } from '../../../../contract/forms/endpoints.ts';
import type { EnvService, ServicesContext } from './context.ts';
import { callAs, findOwner } from './own-api.ts';
import { FormsQuestion } from './questions.ts';

/** `env.FORMS`: the messages of the page's forms. */
export function createFormsService(context: ServicesContext): EnvService<typeof FormsQuestion> {
  return {
    question: FormsQuestion,
    async run(asker, { name, query }) {
      const caller = { actor: await findOwner(context, asker) };
      const params = { id: asker.page.id, name };
      return callAs(context, caller, formEndpoints.listFormMessages, { params, query });
    },
  };
}
