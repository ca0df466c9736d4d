import { z } from 'zod';
import {
  FormMessage,
  FormSettings,
  FormSummary,
  FormList as WholeList,
} from '../../contract/forms/messages.ts';
import { type Api, refusal } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Call, type Command, SERVER_OPTION } from '../command.ts';
import { saySize } from '../terminal/amounts.ts';
import { columns } from '../terminal/columns.ts';
import { UsageError } from '../usage.ts';
import { writeWholeBy } from '../whole-file.ts';

const FormList = WholeList.pick({ unread: true, formNotices: true }).extend({
  forms: z.array(FormSummary.loose()),
});
const Message = FormMessage.loose();
const MessageList = z.object({ messages: z.array(Message), total: z.int(), unread: z.int() });
type Message = z.infer<typeof Message>;

const MOST_AT_ONCE = 100;
const pathOf = (page: string, ...parts: string[]) =>
  ['/api/pages', page, 'forms', ...parts]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/');
const minuteOf = (iso: string) => iso.slice(0, 16).replace('T', ' ');

const formsList: Command = {
  name: 'forms list',
  usage: '<page>',
  args: [1, 1],
  summary: 'list the forms of a page that have messages',
  options: SERVER_OPTION,
  async run(call) {
    const [page = ''] = call.args;
    const list = await (await connect(call)).call('GET', pathOf(page), { reads: FormList });
    const rows = list.forms.map(({ name, messages, unread, bytes, lastMessageAt }) => [
      name,
      messages,
      unread,
      saySize(bytes),
      minuteOf(lastMessageAt),
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
    const [page = '', form = ''] = call.args;
    const api = await connect(call);
    const query = new URLSearchParams({ limit: String(limitOf(call)) });
    if (call.flag('unread')) query.set('unread', 'true');
    const list = await api.call('GET', `${pathOf(page, form)}?${query}`, { reads: MessageList });
    const none = call.flag('unread') ? 'There are no unread messages.' : 'There are no messages.';
    const text = list.messages.map((message) => describe(message, call)).join('\n\n');
    call.out.result(list, text || none);
    if (call.flag('mark')) await mark(api, page, form, list.messages);
  },
};

function limitOf(call: Call): number {
  const given = call.text('limit') ?? '20';
  const limit = Number(given);
  if (/^\d+$/.test(given) && limit >= 1 && limit <= MOST_AT_ONCE) return limit;
  throw new UsageError(`--limit must be a whole number from 1 to ${MOST_AT_ONCE}.`);
}

async function mark(api: Api, page: string, form: string, messages: Message[]): Promise<void> {
  for (const { id, isRead } of messages)
    if (!isRead) await api.call('PATCH', pathOf(page, form, id), { body: { isRead: true } });
}

function describe({ id, fields, files, isRead, createdAt }: Message, { out }: Call): string {
  const { bold, dim } = out.paint;
  const indented = (text: string) => text.replaceAll('\n', '\n    ');
  // Visitors choose names too. A line break in one must not look like the next message.
  const inOneLine = (text: string) => text.replaceAll('\n', '\\n');
  return [
    `${bold(minuteOf(createdAt))}${isRead ? '' : ' new'} ${dim(id)}`,
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
    const [page = '', form = ''] = call.args;
    const api = await connect(call);
    const response = await api.send('GET', pathOf(page, form, 'export'));
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
    call.out.done({ file }, `Exported the messages of ${form} to ${file}.`);
  },
};

const formsDelete: Command = {
  name: 'forms delete',
  usage: '<page> <form> [message] --yes',
  args: [2, 3],
  summary: 'delete a message, or all messages of a form, with their files',
  options: { yes: { type: 'boolean', summary: 'confirm the deletion' }, ...SERVER_OPTION },
  async run(call) {
    const [page = '', form = '', message] = call.args;
    const what = message === undefined ? `all messages of ${form}` : `the message ${message}`;
    if (!call.flag('yes')) throw new UsageError(`This permanently deletes ${what}. Add --yes to confirm.`);
    const parts = message === undefined ? [form] : [form, message];
    await (await connect(call)).call('DELETE', pathOf(page, ...parts));
    call.out.done({ deleted: parts.join('/') }, `Deleted ${what}.`);
  },
};

const formsNotices: Command = {
  name: 'forms notices',
  usage: '<page> on|off',
  args: [2, 2],
  summary: 'turn mail to the owner about new messages of a page on or off',
  options: SERVER_OPTION,
  async run(call) {
    const [page = '', wanted = ''] = call.args;
    if (wanted !== 'on' && wanted !== 'off') throw new UsageError(`Use on or off, not ${wanted}.`);
    const body = { formNotices: wanted === 'on' };
    const settings = await (await connect(call)).call('PATCH', pathOf(page), { body, reads: FormSettings });
    call.out.done(settings, `Mail about new messages is ${wanted}.`);
  },
};

export const formsCommands = [formsList, formsRead, formsExport, formsDelete, formsNotices];
