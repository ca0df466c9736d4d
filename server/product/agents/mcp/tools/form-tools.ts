import { formEndpoints } from '../../../../../contract/forms/endpoints.ts';
import { type Definition, tool } from './definition.ts';
import { cutList } from './results/cut.ts';

const PAGE = { id: { type: 'string' } };
const FORM = { ...PAGE, name: { type: 'string' } };
const MESSAGE = { ...FORM, messageId: '' };
const WRITTEN = 'messages that visitors wrote';

/** Tools for the messages that visitors send with forms. */
export const formTools: Definition[] = [
  tool(formEndpoints.listForms, {
    group: 'people',
    name: 'list_form_messages',
    title: 'Read the messages of a form',
    description:
      'Without name: the forms of a page with their unread messages. With name: the messages, newest first. Files are named, not returned.',
    effect: 'read',
    source: WRITTEN,
    cut: cutList('messages', (kept) => `Continue with before=${kept.at(-1)?.id}.`),
    also: [{ given: 'name', endpoint: formEndpoints.listFormMessages }],
    adds: ['name', 'before', 'limit', 'unread'],
    input: FORM,
  }),
  tool(formEndpoints.markFormMessage, {
    group: 'people',
    name: 'mark_form_message',
    title: 'Mark a message',
    description: 'Marks a message of a form as read or unread.',
    effect: 'write',
    source: WRITTEN,
    input: MESSAGE,
  }),
  tool(formEndpoints.deleteFormMessage, {
    group: 'people',
    name: 'delete_form_message',
    title: 'Delete a message',
    description: 'Permanently deletes a message of a form with its files.',
    effect: 'destructive',
    input: MESSAGE,
  }),
];
