import { formEndpoints } from '../../contract/forms/endpoints.ts';
import type { FormMessage } from '../../contract/forms/messages.ts';
import { type Api, refusal } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { saySize } from '../terminal/amounts.ts';
import { columns } from '../terminal/columns.ts';
import { UsageError } from '../usage.ts';
import { writeWholeBy } from '../whole-file.ts';

const MOST_AT_ONCE = 100;
const formatMinute = (iso: string) => iso.slice(0, 16).replace('T', ' ');

const formsList: Command = {
  name: 'forms list',
  usage: '<page>',
  args: [1, 1],
  summary: 'list the forms of a page that have messages',
  options: SERVER_OPTION,
  async run(call) {
    const [id = ''] = call.args;
    const list = await (await connect(call)).call(formEndpoints.listForms, { params: { id } });
    const rows = list.forms.map(({ name, messages, unread, bytes, lastMessageAt }) => [
      name,
      messages,
      unread,
      saySize(bytes),
      formatMinute(lastMessageAt),
    ]);
    const headings = ['form', 'messages', 'unread', 'size', 'last message (UTC)'];
    const none = 'This page has no messages yet.';
    call.out.result(list, rows.length === 0 ? none : columns(headings, rows, call.out.paint.bold));
  },
};

const formsRead: Command = {
  name: 'forms read',
  usage: '<page> <form>',
  args: [2, 2],
  summary: 'show the messages of a form, newest first',
  options: {
    unread: { type: 'boolean', summary: 'only messages that are not read yet' },
    limit: { type: 'string', value: 'n', summary: 'show at most this many (default 20, at most 100)' },
    mark: { type: 'boolean', summary: 'mark the messages that are shown as read' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const [id = '', name = ''] = call.args;
    const api = await connect(call);
    const list = await api.call(formEndpoints.listFormMessages, {
      params: { id, name },
      query: { limit: readLimit(call), unread: call.flag('unread') ? 'true' : undefined },
    });
    const none = call.flag('unread') ? 'There are no unread messages.' : 'There are no messages.';
    const text = list.messages.map((message) => describe(message, call)).join('\n\n');
    call.out.result(list, text || none);
    if (call.flag('mark')) await mark(api, { id, name }, list.messages);
  },
};

function readLimit(call: Call): number {
  const given = call.text('limit') ?? '20';
  const limit = Number(given);
  if (/^\d+$/.test(given) && limit >= 1 && limit <= MOST_AT_ONCE) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${MOST_AT_ONCE}.`);
}

async function mark(api: Api, form: { id: string; name: string }, messages: FormMessage[]): Promise<void> {
  for (const { id: messageId, isRead } of messages) {
    if (isRead) continue;
    await api.call(formEndpoints.markFormMessage, { params: { ...form, messageId }, body: { isRead: true } });
  }
}

function describe({ id, fields, files, isRead, createdAt }: FormMessage, { out }: Call): string {
  const { bold, dim } = out.paint;
  const indented = (text: string) => text.replaceAll('\n', '\n    ');
  // Visitors choose names too. A line break in one must not look like the next message.
  const inOneLine = (text: string) => text.replaceAll('\n', '\\n');
  return [
    `${bold(formatMinute(createdAt))}${isRead ? '' : ' new'} ${dim(id)}`,
    ...Object.entries(fields).map(
      ([name, value]) => `  ${inOneLine(name)}: ${indented(Array.isArray(value) ? value.join(', ') : value)}`,
    ),
    ...files.map(({ field, name, size }) => `  ${inOneLine(field)}: ${inOneLine(name)} (${saySize(size)})`),
  ].join('\n');
}

const formsExport: Command = {
  name: 'forms export',
  usage: '<page> <form>',
  args: [2, 2],
  summary: 'export all messages of a form as CSV, oldest first',
  options: {
    out: { type: 'string', value: 'file', summary: 'write to this file instead of standard output' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const [id = '', name = ''] = call.args;
    const api = await connect(call);
    const response = await api.send(formEndpoints.exportFormMessages, { params: { id, name } });
    if (!response.ok || !response.body) throw refusal(response, await response.text(), api.baseUrl);
    const { body } = response;
    const file = call.text('out');
    if (file === undefined) {
      for await (const chunk of body) await call.out.raw(chunk);
      return;
    }
    await writeWholeBy(file, async (handle) => {
      for await (const chunk of body) await handle.appendFile(chunk);
    });
    call.out.done({ file }, `Exported the messages of ${name} to ${file}.`);
  },
};

const formsDelete: Command = {
  name: 'forms delete',
  usage: '<page> <form> [message] --yes',
  args: [2, 3],
  summary: 'delete a message, or all messages of a form, with their files',
  options: { yes: { type: 'boolean', summary: 'confirm the deletion' }, ...SERVER_OPTION },
  async run(call) {
    const [id = '', name = '', messageId] = call.args;
    const what = messageId === undefined ? `all messages of ${name}` : `the message ${messageId}`;
    if (!call.flag('yes')) throw new UsageError(`This permanently deletes ${what}. Add --yes to confirm.`);
    const api = await connect(call);
    if (messageId === undefined) await api.call(formEndpoints.deleteForm, { params: { id, name } });
    else await api.call(formEndpoints.deleteFormMessage, { params: { id, name, messageId } });
    call.out.done({ deleted: messageId === undefined ? name : `${name}/${messageId}` }, `Deleted ${what}.`);
  },
};

const formsNotices: Command = {
  name: 'forms notices',
  usage: '<page> on|off',
  args: [2, 2],
  summary: 'turn mail to the owner about new messages of a page on or off',
  options: SERVER_OPTION,
  async run(call) {
    const [id = '', wanted = ''] = call.args;
    if (wanted !== 'on' && wanted !== 'off') throw new UsageError(`Use on or off, not ${wanted}.`);
    const body = { formNotices: wanted === 'on' };
    const settings = await (await connect(call)).call(formEndpoints.setFormNotices, { params: { id }, body });
    call.out.done(settings, `Mail about new messages is ${wanted}.`);
  },
};

export const formsCommands = [formsList, formsRead, formsExport, formsDelete, formsNotices];
