import { functionEndpoints } from '../../contract/functions/endpoints.ts';
import type { NewTrigger } from '../../contract/functions/triggers.ts';
import { TRIGGER_ACTIONS } from '../../contract/rules/limits.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { printable } from '../terminal/colours.ts';
import { columns } from '../terminal/columns.ts';
import { CommandError, EXIT, UsageError } from '../usage.ts';

export const functionsTriggers: Command = {
  name: 'functions triggers',
  usage: '<slug>',
  args: [1, 1],
  summary: 'list the triggers of a function, or replace them',
  options: {
    set: {
      type: 'string',
      value: 'trigger',
      multiple: true,
      summary:
        'a trigger, such as orders, orders:create,delete or orders=https://example.com/hook; replaces all others, so give every one',
    },
    url: {
      type: 'string',
      value: 'url',
      summary: 'with --set: send the changes of all that name no address to this one',
    },
    clear: { type: 'boolean', summary: 'remove all triggers' },
    ...SERVER_OPTION,
  },
  async run(call) {
    const [slug = ''] = call.args;
    const given = call.texts('set');
    const url = call.text('url');
    if (call.flag('clear') && given.length > 0)
      throw new UsageError('Use either --set or --clear, not both.');
    if (url !== undefined && given.length === 0) throw new UsageError('--url needs --set.');
    const wanted = given.map((text) => parseTrigger(text, url));
    const api = await connect(call);
    const params = { slug };
    const isChange = call.flag('clear') || wanted.length > 0;
    const { on } = isChange
      ? await api.call(functionEndpoints.updateFunction, { params, body: { on: wanted } })
      : await api.call(functionEndpoints.getFunction, { params });
    if (!on)
      throw new CommandError(`Only the owner of ${printable(slug)} can see its triggers.`, EXIT.denied);
    const rows = on.map((trigger) => [
      trigger.collection,
      trigger.actions.join(', '),
      trigger.url ?? 'its queue',
      trigger.secret ?? '',
    ]);
    const none = `${printable(slug)} has no triggers. Add one with quire functions triggers ${printable(slug)} --set orders.`;
    call.out.result(
      { slug, on },
      rows.length === 0
        ? none
        : columns(['collection', 'changes', 'sent to', 'secret'], rows, call.out.paint.bold),
    );
  },
};

/** Reads `orders`, `orders:create,delete` or either with an address, such as `orders=https://example.com/hook`. */
function parseTrigger(text: string, urlOfAll: string | undefined): NewTrigger {
  const end = text.indexOf('=');
  const url = end < 0 ? urlOfAll : text.slice(end + 1);
  const [collection = '', named] = (end < 0 ? text : text.slice(0, end)).split(':');
  const actions = TRIGGER_ACTIONS.filter(
    (action) => named === undefined || named.split(',').includes(action),
  );
  const isKnown = named === undefined || actions.length === named.split(',').length;
  if (!isKnown || url === '')
    throw new UsageError(
      `${printable(text)} must be like orders, orders:create,update,delete or orders=https://example.com/hook.`,
    );
  return { collection, actions, ...(url !== undefined && { url }) };
}
