import { basename } from 'node:path';
import type { Api } from '../client/api.ts';
import { findRemoteFunction } from '../functions/download.ts';
import { type LocalFunction, SETTINGS_FILE } from '../project/function-folder.ts';
import type { Paint } from '../terminal/colours.ts';
import { type Change, compareTexts, pickSame, toSettingTexts } from './change.ts';

/** What differs between a function on disk and the one on the server. */
export async function compareFunction(api: Api, local: LocalFunction, paint: Paint): Promise<Change[]> {
  const { fields, source, under } = local;
  const remote = await findRemoteFunction(api, fields.slug);
  const place = (texts: Record<string, string>) =>
    Object.fromEntries(Object.entries(texts).map(([path, text]) => [under + path, text]));
  const main = basename(source.file);
  const { slug: _, enableDatabase: __, useDatabase: ___, ...settings } = fields;
  const { schedules } = settings;
  const wanted = {
    ...settings,
    ...(schedules && { schedules: schedules.map(({ cron, timezone = 'UTC' }) => ({ cron, timezone })) }),
  };
  const present = pickSame(wanted, { schedules: [], on: [], ...remote?.fields });
  const [before, after] = toSettingTexts(present, wanted);
  const isNamed = Object.keys(wanted).length > 0;
  const folder = { [main]: source.text, ...source.files, ...(isNamed && { [SETTINGS_FILE]: after }) };
  const server = remote && {
    ...{ [main]: remote.code, ...remote.files },
    ...(isNamed && { [SETTINGS_FILE]: before }),
  };
  const texts = { server: place(server ?? {}), folder: place(folder) };
  return compareTexts(texts, remote?.version ?? 0, paint);
}
