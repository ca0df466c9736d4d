import { pageEndpoints } from '../../../../contract/pages/endpoints.ts';
import { handle, type Route } from '../../../platform/http/index.ts';
import type { ChangeContext } from '../model/change-context.ts';
import { findPage } from '../model/page-store.ts';
import { toMessage } from '../model/wire.ts';
import { addMessage, readMessages } from './messages.ts';

/** Routes of the editing threads of pages. */
export function messageRoutes(context: ChangeContext): Route[] {
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
