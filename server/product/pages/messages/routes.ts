import { idParams } from '../../../../contract/fields.ts';
import {
  BeforeQuery,
  MESSAGE_BODY_LIMIT,
  MessageBody,
  MessageList,
  MessageResponse,
} from '../../../../contract/pages/pages.ts';
import { type Route, route, signedIn } from '../../../platform/http/index.ts';
import { findPage } from '../store.ts';
import type { UpdateContext } from '../update.ts';
import { toMessage } from '../wire.ts';
import { addMessage, readMessages } from './messages.ts';

const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

/** The editing threads of pages. */
export function messageRoutes(context: UpdateContext): Route[] {
  const { db, directory } = context;
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/messages',
      operationId: 'listPageMessages',
      access: READ,
      summary: "Read the page's editing thread: its last 200 messages, or the 200 before one of them",
      params: idParams,
      query: BeforeQuery,
      response: MessageList,
      async handle({ params, query, actor }) {
        const page = await directory.require(db, await findPage(db, params.id), actor, 'read');
        return { messages: (await readMessages(db, page.id, query.before)).map(toMessage) };
      },
    }),
    route({
      method: 'POST',
      path: '/api/pages/:id/messages',
      operationId: 'addPageMessage',
      failures: ['QUOTA_EXCEEDED'],
      access: WRITE,
      summary: "Add a message to the page's editing thread",
      params: idParams,
      body: MessageBody,
      bodyLimit: MESSAGE_BODY_LIMIT,
      status: 201,
      response: MessageResponse,
      handle: async ({ params, body, actor }) => ({
        message: toMessage(await addMessage(context, signedIn(actor), params.id, body)),
      }),
    }),
  ];
}
