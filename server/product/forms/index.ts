import { MAX_NEW_FORMS } from '../../../contract/forms/limits.ts';
import type { Limits } from '../../platform/coordination/limits/index.ts';
import type { Route } from '../../platform/http/index.ts';
import type { FormsContext } from './context.ts';
import { removeFormsWithPage } from './inbox.ts';
import { formRoutes } from './routes.ts';

/** Exports forms. */
export { exportForms } from './privacy/export.ts';
/** The bytes of the messages of forms. */
export { measureForms } from './store.ts';
/** Where the bytes of a file are stored. */
export { formFileKey } from './submit.ts';

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 24 * 3600;

/** Forms on pages: messages that visitors send to the owner of a page. */
export interface Forms {
  routes: Route[];
  /** Removes a page's messages when it is deleted. Returns the freed bytes. */
  removeWithPage: ReturnType<typeof removeFormsWithPage>;
}

export function createForms(
  options: Omit<FormsContext, 'limits' | 'pagesHost'> & {
    limits: Limits;
    config: { pagesHost: string | undefined; formsPerMinute: number; formsPerDay: number };
  },
): Forms {
  const { limits, config, ...rest } = options;
  const context: FormsContext = {
    ...rest,
    pagesHost: config.pagesHost,
    limits: {
      perAddress: limits.limit(
        'forms by address',
        { points: config.formsPerMinute, seconds: MINUTE_SECONDS },
        'You have sent too many forms. Try again {wait}.',
      ),
      perPage: limits.limit(
        'forms by page',
        { points: config.formsPerDay, seconds: DAY_SECONDS },
        'This page has received too many messages today. Try again {wait}.',
      ),
      newForms: limits.limit(
        'new forms by address',
        { points: MAX_NEW_FORMS, seconds: DAY_SECONDS },
        'You have used too many new names of forms. Use the name of a form of the page. Try again {wait}.',
      ),
    },
  };
  return { routes: formRoutes(context), removeWithPage: removeFormsWithPage(context) };
}
