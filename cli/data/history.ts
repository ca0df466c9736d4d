import { recordEndpoints } from '../../contract/data/endpoints.ts';
import type { DeletedRecord, PastChange } from '../../contract/data/record-history.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { findData } from './records.ts';

const PAGE_SIZE = 100;

export const dataHistory: Command = {
  name: 'data history',
  usage: '<page> <collection> [record]',
  args: [2, 3],
  summary: 'list what a record was before each change, or the deleted records',
  options: SERVER_OPTION,
  notes:
    'Newest first. Without a record, it lists deleted ones: your own, or all if you manage the page. Bring one back with quire data restore.',
  async run(call) {
    const api = await connect(call);
    const [page = '', collection = '', recordId] = call.args;
    const { type } = await findData(api, page);
    const { listDeleted, readHistory } = recordEndpoints[type];
    const at = { id: page, collection };
    for (let before: number | undefined; ; ) {
      const query = { limit: PAGE_SIZE, before };
      const list =
        recordId === undefined
          ? await api.call(listDeleted, { params: at, query })
          : await api.call(readHistory, { params: { ...at, recordId }, query });
      if ('records' in list) for (const each of list.records) call.out.item(each, describeDeleted(each));
      else for (const each of list.changes) call.out.item(each, describeChange(each));
      if (list.next === null) return;
      before = list.next;
    }
  },
};

export const dataRestore: Command = {
  name: 'data restore',
  usage: '<page> <collection> <record> <time>',
  args: [4, 4],
  summary: 'bring a record back as it was before a change',
  options: SERVER_OPTION,
  notes: 'The time is that of the change, from quire data history.',
  async run(call) {
    const api = await connect(call);
    const [page = '', collection = '', recordId = '', at = ''] = call.args;
    const { type } = await findData(api, page);
    const record = await api.call(recordEndpoints[type].restoreRecord, {
      params: { id: page, collection, recordId },
      body: { at },
    });
    call.out.done(record, `Brought back ${record.id}: ${JSON.stringify(record.data)}`);
  },
};

const describeChange = ({ at, by, action, before }: PastChange) =>
  [at, action, by?.username ?? '-', before === null ? '-' : JSON.stringify(before)].join('  ');

const describeDeleted = ({ id, deletedAt, deletedBy, data }: DeletedRecord) =>
  [deletedAt, id, deletedBy?.username ?? '-', JSON.stringify(data)].join('  ');
