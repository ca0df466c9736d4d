import { binary, idOrSlugParams } from '../../../contract/fields.ts';
import {
  FormList,
  FormMessage,
  FormMessageList,
  FormMessagesQuery,
  FormReadBody,
  FormSentNext,
  FormSettings,
  FormSubmission,
  FormSubmitQuery,
  FormSummary,
  formFileParams,
  formMessageParams,
  formParams,
} from '../../../contract/forms/messages.ts';
import { isNavigation, type Route, route, seeOther, signedIn } from '../../platform/http/index.ts';
import { inLanguageOf } from '../../platform/screens/index.ts';
import type { FormsContext } from './context.ts';
import { exportMessages } from './export.ts';
import {
  downloadFormFile,
  markAll,
  markMessage,
  readForms,
  readMessage,
  readMessages,
  removeForm,
  removeMessage,
  setNotices,
} from './inbox.ts';
import { addressOf, resolveNext } from './next.ts';
import { notSentScreen, thanksScreen } from './screens.ts';
import { submitForm } from './submit.ts';
import { toForm, toMessage } from './wire.ts';

// Messages belong to the page and its owner, not to the data that visitors have in a storage mode.
const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;

const FORM = '/api/pages/:id/forms/:name';
const MESSAGE = `${FORM}/:messageId`;

export function formRoutes(context: FormsContext): Route[] {
  return [submitRoute(context), ...readRoutes(context), ...downloadRoutes(context), ...changeRoutes(context)];
}

function submitRoute(context: FormsContext): Route {
  const { baseUrl } = context;
  return route({
    method: 'POST',
    path: FORM,
    operationId: 'submitForm',
    access: { kind: 'visitor or guest' },
    stores: true,
    summary:
      'Send a form of a page to its owner, without logging in. At most 10 a minute per address and 1,000 a day per page',
    params: formParams,
    query: FormSubmitQuery,
    bodyType: 'multipart/form-data',
    bodyTypesToo: ['application/x-www-form-urlencoded', 'application/json'],
    bodySchema: FormSubmission,
    status: 201,
    response: FormSentNext,
    answers: [
      { status: 201, description: 'A screen, if a browser sent a form without script.', type: 'text/html' },
      { status: 303, description: 'The form has a `_next`.', headers: ['Location'] },
    ],
    failures: ['BAD_REQUEST', 'QUOTA_EXCEEDED', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'],
    failureScreen: (failure) => notSentScreen(failure, baseUrl),
    async handle({ params, query, caller, address, pageHost, request }) {
      const sending = { idOrSlug: params.id, form: params.name, caller, address, pageHost, request };
      const { page, next } = await submitForm(context, sending);
      if (next !== undefined && query.redirect !== 'false') return seeOther(next);
      if (!isNavigation(request.headers))
        return { success: true, message: 'Thank you. Your message was sent.', next };
      const place = { ...context, page, pageHost };
      // The document of the page that has the form.
      const from = resolveNext(request.headers.get('referer') ?? '', place);
      return inLanguageOf(request, () => thanksScreen(page, from ?? addressOf(place), baseUrl));
    },
  });
}

function readRoutes(context: FormsContext): Route[] {
  return [
    route({
      method: 'GET',
      path: '/api/pages/:id/forms',
      operationId: 'listForms',
      access: READ,
      summary: 'List the forms of a page that have messages, the last used first',
      params: idOrSlugParams,
      response: FormList,
      async handle({ params, actor }) {
        const { forms: rows, formNotices } = await readForms(context, params.id, signedIn(actor));
        const forms = rows.map(toForm);
        return { forms, unread: forms.reduce((sum, { unread }) => sum + unread, 0), formNotices };
      },
    }),
    route({
      method: 'GET',
      path: FORM,
      operationId: 'listFormMessages',
      access: READ,
      summary: 'List the messages of a form, newest first',
      params: formParams,
      query: FormMessagesQuery,
      response: FormMessageList,
      async handle({ params, query, actor }) {
        const asked = { idOrSlug: params.id, form: params.name, actor: signedIn(actor) };
        const { messages, ...counts } = await readMessages(context, asked, query);
        return { messages: messages.map(toMessage), ...counts };
      },
    }),
    route({
      method: 'GET',
      path: MESSAGE,
      operationId: 'getFormMessage',
      access: READ,
      summary: 'Read a message. This does not mark it as read',
      params: formMessageParams,
      response: FormMessage,
      async handle({ params, actor }) {
        const asked = { idOrSlug: params.id, form: params.name, actor: signedIn(actor) };
        return toMessage(await readMessage(context, asked, params.messageId));
      },
    }),
  ];
}

function downloadRoutes(context: FormsContext): Route[] {
  return [
    route({
      method: 'GET',
      path: `${FORM}/export`,
      operationId: 'exportFormMessages',
      access: READ,
      summary: 'Download all messages of a form as CSV, oldest first',
      params: formParams,
      answers: [{ status: 200, description: 'CSV.', type: 'text/csv', headers: ['Content-Disposition'] }],
      handle: ({ params, actor }) =>
        exportMessages(context, { idOrSlug: params.id, form: params.name, actor: signedIn(actor) }),
    }),
    route({
      method: 'GET',
      path: `${MESSAGE}/files/:fileId`,
      operationId: 'downloadFormFile',
      access: READ,
      summary: 'Download a file of a message',
      params: formFileParams,
      answers: [
        {
          status: 200,
          description: 'The file, of the type it was sent with.',
          type: '*/*',
          schema: binary,
          headers: ['Content-Disposition'],
        },
      ],
      handle({ params, actor }) {
        const asked = { idOrSlug: params.id, form: params.name, actor: signedIn(actor) };
        return downloadFormFile(context, asked, params);
      },
    }),
  ];
}

function settingsRoute(context: FormsContext): Route {
  return route({
    method: 'PATCH',
    path: '/api/pages/:id/forms',
    operationId: 'setFormNotices',
    access: WRITE,
    summary: 'Turn mail to the owner about new messages of a page on or off. It is on at first',
    params: idOrSlugParams,
    body: FormSettings,
    response: FormSettings,
    async handle({ params, body, actor }) {
      await setNotices(context, { idOrSlug: params.id, actor: signedIn(actor) }, body.formNotices);
      return body;
    },
  });
}

function changeRoutes(context: FormsContext): Route[] {
  return [
    settingsRoute(context),
    route({
      method: 'PATCH',
      path: FORM,
      operationId: 'markForm',
      access: WRITE,
      summary: 'Mark all messages of a form as read or unread',
      params: formParams,
      body: FormReadBody,
      response: FormSummary,
      async handle({ params, body, actor }) {
        const asked = { idOrSlug: params.id, form: params.name, actor: signedIn(actor) };
        return toForm(await markAll(context, asked, body.isRead));
      },
    }),
    route({
      method: 'PATCH',
      path: MESSAGE,
      operationId: 'markFormMessage',
      access: WRITE,
      summary: 'Mark a message as read or unread',
      params: formMessageParams,
      body: FormReadBody,
      response: FormMessage,
      async handle({ params, body, actor }) {
        const asked = { idOrSlug: params.id, form: params.name, actor: signedIn(actor) };
        return toMessage(await markMessage(context, asked, params.messageId, body.isRead));
      },
    }),
    route({
      method: 'DELETE',
      path: FORM,
      operationId: 'deleteForm',
      access: WRITE,
      summary: 'Delete all messages of a form, with their files',
      params: formParams,
      status: 204,
      handle: ({ params, actor }) =>
        removeForm(context, { idOrSlug: params.id, form: params.name, actor: signedIn(actor) }),
    }),
    route({
      method: 'DELETE',
      path: MESSAGE,
      operationId: 'deleteFormMessage',
      access: WRITE,
      summary: 'Delete a message with its files',
      params: formMessageParams,
      status: 204,
      handle({ params, actor }) {
        const asked = { idOrSlug: params.id, form: params.name, actor: signedIn(actor) };
        return removeMessage(context, asked, params.messageId);
      },
    }),
  ];
}
