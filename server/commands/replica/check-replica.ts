import type { Call } from '../../../cli/command.ts';
import { count } from '../../../cli/terminal/amounts.ts';
import { EXIT, UsageError } from '../../../cli/usage.ts';
import { readConfig } from '../../platform/config/index.ts';
import { checkReplica, openDestination } from '../../platform/replica/index.ts';

/** `quire restore --from <replica> --check`: reads everything in a replica. Exits with 1 if something is damaged. */
export async function checkFromReplica(call: Call): Promise<void> {
  const { text, environment, out } = call;
  const from = text('from') ?? '';
  const { replica } = readConfig({ ...environment, QUIRE_REPLICA: from, DATABASE_URL: undefined });
  if (!replica)
    throw new UsageError('--from must be a URL such as file:///var/replica or s3://bucket/prefix.');
  const progress = out.progress('Checking', undefined);
  const found = await checkReplica(openDestination(replica), (done) =>
    progress.at(done, count(done, 'part')),
  ).finally(progress.end);
  const { generations, files, databases, damage } = found;
  const has = `${count(generations, 'generation')}, ${count(files, 'file')} and ${count(databases, 'database')} of functions`;
  const sentence =
    generations === 0
      ? `There is no replica at ${from}.`
      : damage.length === 0
        ? `The replica is whole: ${has}.`
        : `The replica is damaged. It has ${has}. What is wrong:\n${damage.join('\n')}\nSet QUIRE_REPLICA to another place, so that the server begins a new one, and keep this one for the times before the damage.`;
  out.result({ from, ...found }, sentence);
  if (generations === 0 || damage.length > 0) call.exitWith(generations === 0 ? EXIT.notFound : EXIT.failed);
}
