import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { runSql } from '../../support/engines/storage.ts';
import type { Give } from './hint.ts';
import type { World } from './world.ts';

/** Hints for reports of pages. An address can send few of them, so those that are decided are written to the database. */

interface Reported {
  pageId: number;
  id: string;
  /** The file of a picture of the page. */
  file: string;
}

async function newReport(world: World): Promise<Reported> {
  const { id: pageId } = await world.newPage();
  const [id, picture] = [randomUUID(), randomBytes(32).toString('hex')];
  await Bun.write(join(world.dataFolder, 'blobs/report-pictures', picture), new Uint8Array(3));
  await runSql(
    { dataFolder: world.dataFolder, databaseUrl: undefined },
    `INSERT INTO page_reports (id, page_id, version, reason, text, contact, state, created_at, picture)
     VALUES ('${id}', ${pageId}, 1, 'scam', 'It asks for my password.', '', 'open', ${Date.now()}, '${picture}')`,
  );
  return { pageId, id, file: `${picture}.webp` };
}

export const REPORT_HINTS: Record<string, Give> = {
  reportPage: async (world) => ({ fields: { page: (await world.newPage()).slug } }),
  dismissReport: async (world) => {
    const { id } = await newReport(world);
    return { params: { id } };
  },
  getReportPicture: async (world) => {
    const { file } = await newReport(world);
    return { params: { file } };
  },
  answerReport: async (world) => {
    const { pageId, id } = await newReport(world);
    return { params: { id: pageId, reportId: id } };
  },
};
