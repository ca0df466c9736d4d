import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { FormsContext } from './context.ts';
import { removeFormsWithPage } from './inbox.ts';
import { formRoutes } from './routes.ts';

/** Where the bytes of a file are stored. */
export { formFileKey } from './submit.ts';

const PER_ADDRESS = { points: 10, seconds: 60 };
const PER_PAGE = { points: 1_000, seconds: 24 * 3600 };

/** Forms on pages: messages that visitors send to the owner of a page. */
export interface Forms {
  routes: Route[];
  /** Removes a page's messages when it is deleted. Returns the freed bytes. */
  removeWithPage: ReturnType<typeof removeFormsWithPage>;
}

export function createForms(
  options: Omit<FormsContext, 'limits' | 'pagesHost'> & {
    limits: Limits;
    config: { pagesHost: string | undefined };
  },
): Forms {
  const { limits, config, ...rest } = options;
  const context: FormsContext = {
    ...rest,
    pagesHost: config.pagesHost,
    limits: {
      perAddress: limits.limit('forms by address', PER_ADDRESS, 'You have sent too many forms.'),
      perPage: limits.limit('forms by page', PER_PAGE, 'This page has received too many messages today.'),
    },
  };
  return { routes: formRoutes(context), removeWithPage: removeFormsWithPage(context) };
}
