import { endpoint, endpoints } from '../endpoint.ts';
import { binary, idOrSlugParams } from '../fields.ts';
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
} from './messages.ts';

// Messages belong to the page and its owner, not to the data that visitors have in a storage mode.
const READ = { kind: 'management', scope: 'pages:read' } as const;
const WRITE = { kind: 'management', scope: 'pages:write' } as const;
const FORM = '/api/pages/:id/forms/:name';
const MESSAGE = `${FORM}/:messageId`;

export const formEndpoints = endpoints({
  submitForm: endpoint({
    method: 'POST',
    path: FORM,
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
  }),
  listForms: endpoint({
    method: 'GET',
    path: '/api/pages/:id/forms',
    access: READ,
    summary: 'List the forms of a page that have messages, the last used first',
    params: idOrSlugParams,
    response: FormList,
  }),
  listFormMessages: endpoint({
    method: 'GET',
    path: FORM,
    access: READ,
    summary: 'List the messages of a form, newest first',
    params: formParams,
    query: FormMessagesQuery,
    response: FormMessageList,
  }),
  getFormMessage: endpoint({
    method: 'GET',
    path: MESSAGE,
    access: READ,
    summary: 'Read a message. This does not mark it as read',
    params: formMessageParams,
    response: FormMessage,
  }),
  exportFormMessages: endpoint({
    method: 'GET',
    path: `${FORM}/export`,
    access: READ,
    summary: 'Download all messages of a form as CSV, oldest first',
    params: formParams,
    answers: [{ status: 200, description: 'CSV.', type: 'text/csv', headers: ['Content-Disposition'] }],
  }),
  downloadFormFile: endpoint({
    method: 'GET',
    path: `${MESSAGE}/files/:fileId`,
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
  }),
  setFormNotices: endpoint({
    method: 'PATCH',
    path: '/api/pages/:id/forms',
    access: WRITE,
    summary: 'Turn mail to the owner about new messages of a page on or off. It is on at first',
    params: idOrSlugParams,
    body: FormSettings,
    response: FormSettings,
  }),
  markForm: endpoint({
    method: 'PATCH',
    path: FORM,
    access: WRITE,
    changes: 'nothing',
    summary: 'Mark all messages of a form as read or unread',
    params: formParams,
    body: FormReadBody,
    response: FormSummary,
  }),
  markFormMessage: endpoint({
    method: 'PATCH',
    path: MESSAGE,
    access: WRITE,
    changes: 'nothing',
    summary: 'Mark a message as read or unread',
    params: formMessageParams,
    body: FormReadBody,
    response: FormMessage,
  }),
  deleteForm: endpoint({
    method: 'DELETE',
    path: FORM,
    access: WRITE,
    summary: 'Delete all messages of a form, with their files',
    params: formParams,
    status: 204,
  }),
  deleteFormMessage: endpoint({
    method: 'DELETE',
    path: MESSAGE,
    access: WRITE,
    summary: 'Delete a message with its files',
    params: formMessageParams,
    status: 204,
  }),
});
