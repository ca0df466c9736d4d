import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import { findPage } from '../store.ts';
import type { UpdateContext } from '../update.ts';
import { toMessage } from '../wire.ts';
import { addMessage, readMessages } from './messages.ts';

/** The editing threads of pages. */
export function messageRoutes(context: UpdateContext): Route[] {
  const { db, directory } = context;
  return [
    handle(pageEndpoints.listPageMessages, async ({ params, query, actor }) => {
      const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
      return { messages: (await readMessages(db, page.id, query.before)).map(toMessage) };
    }),
    handle(pageEndpoints.addPageMessage, async ({ params, body, actor }) => ({
      message: toMessage(await addMessage(context, actor, params.id, body)),
    })),
  ];
}
