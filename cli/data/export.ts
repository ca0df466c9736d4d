import type { Collection } from '../../contract/data/records.ts';
import type { Api } from '../client/api.ts';
import { connect } from '../client/connect.ts';
import { type Command, SERVER_OPTION } from '../command.ts';
import { count } from '../terminal/amounts.ts';
import type { Output } from '../terminal/output.ts';
import { writeWholeBy } from '../whole-file.ts';
import { findData, listCollections, type PageData, readAll } from './records.ts';

export const dataExport: Command = {
  name: 'data export',
  usage: '<page> [collection]',
  args: [1, 2],
  summary: "export a page's records as NDJSON, oldest first",
  options: {
    out: { type: 'string', value: 'file', summary: 'write to this file instead of standard output' },
    ...SERVER_OPTION,
  },
  notes: 'Exports the records that you can read. In the storage mode solo_app, these are your own.',
  async run(call) {
    const api = await connect(call);
    const [page = '', wanted] = call.args;
    const data = await findData(api, page);
    const all = await listCollections(api, data);
    const chosen = wanted === undefined ? all : all.filter(({ name }) => name === wanted);
    const collections =
      chosen.length > 0 || wanted === undefined ? chosen : [{ name: wanted, recordCount: 0 }];
    const file = call.text('out');
    if (file === undefined) {
      await exportTo(api, data, collections, call.out, (text) => call.out.raw(text));
      return;
    }
    const records = await exportToFile(api, data, collections, call.out, file);
    call.out.done({ file, records }, `Exported ${count(records, 'record')} to ${file}.`);
  },
};

type Collections = Array<Pick<Collection, 'name' | 'recordCount'>>;

/** Writes the file atomically. */
export async function exportToFile(
  api: Api,
  data: PageData,
  collections: Collections,
  out: Output,
  file: string,
): Promise<number> {
  return writeWholeBy(file, (handle) =>
    exportTo(api, data, collections, out, (text) => handle.appendFile(text)),
  );
}

async function exportTo(
  api: Api,
  data: PageData,
  collections: Collections,
  out: Output,
  write: (text: string) => Promise<void>,
): Promise<number> {
  const total = collections.reduce((sum, { recordCount }) => sum + recordCount, 0);
  const progress = out.progress('exporting', total);
  let done = 0;
  try {
    for (const { name } of collections) {
      for await (const records of readAll(api, data, name)) {
        await write(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
        done += records.length;
        progress.at(done, count(done, 'record'));
      }
    }
  } finally {
    progress.end();
  }
  return done;
}
